import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Mail, MailOutcome, TryMail } from '../../procedures/core/services.ts';
import { mailResults } from '../../procedures/mail/results.ts';
import { isLoopbackUrl } from '../../procedures/sign-in/issuer.ts';
import { toMessage } from './message.ts';

/** Milliseconds for a connection to the mail server, its greeting, and silence on the connection. */
const TIMEOUT_MS = 10_000;
/** Milliseconds before the one retry. */
const RETRY_DELAY_MS = 2000;
/** Milliseconds for one attempt, with the wait for a connection. Shorter than the lease of a mail in the database. */
const ATTEMPT_TIMEOUT_MS = 45_000;

/** Maximum number of connections to the mail server. */
const MAX_CONNECTIONS = 5;
/** Maximum number of mails that wait or are sent in the background. Further ones are dropped. */
export const MAX_PENDING_MAILS = 1000;

/** Sends mails. */
export interface Mailer {
  /** Sends a mail in the background. */
  sendMail: (mail: Mail) => void;
  tryMail: TryMail;
  /** Ends attempts that have no outcome after this time. @param ms milliseconds from now */
  endAttempts: (ms: number) => void;
  /** Waits for pending mails. @param timeoutMs maximum number of milliseconds */
  stop: (timeoutMs: number) => Promise<void>;
}

/**
 * Creates a mailer. A mail that is not sent is only logged, without its text, which may have a link that signs a person in, and
 * without the response of the server, which may quote it. Options in the query of the URL take precedence
 * (https://nodemailer.com/smtp). By default a password is sent only over TLS.
 * @param smtpUrl smtp://, or smtps:// for TLS from the start
 */
export function createMailer(
  smtpUrl: string,
  smtpFrom: string,
  log: Pick<Logger, 'warn'>,
  { retryDelayMs = RETRY_DELAY_MS, attemptTimeoutMs = ATTEMPT_TIMEOUT_MS } = {},
): Mailer {
  const pending = new Set<Promise<void>>();
  const waiting: (() => void)[] = [];
  let connections = 0;
  const stopping = new AbortController();
  const attemptsEnded = new AbortController();

  /** Runs `work` when a connection is free. */
  async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (connections >= MAX_CONNECTIONS) await new Promise<void>((resolve) => waiting.push(resolve));
    else connections += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) connections -= 1;
      else next(); // which takes this connection
    }
  }

  /** @throws Error of nodemailer */
  const deliver = async (mail: Mail) => (await openTransport(smtpUrl)).sendMail(toMessage(mail, smtpFrom));

  async function sendWithRetry(mail: Mail): Promise<void> {
    try {
      try {
        await deliver(mail);
      } catch (error) {
        if (isPermanent(error)) throw error;
        mailResults.deferred += 1;
        await wait(retryDelayMs, undefined, { signal: stopping.signal }).catch(() => undefined);
        await deliver(mail);
      }
      mailResults.sent += 1;
    } catch (error) {
      mailResults.failed += 1;
      log.warn(describeError(error), 'mail: not sent');
    }
  }

  /** @param signal a mail that has waited until it is aborted is not sent */
  const attempt = (mail: Mail, signal: AbortSignal) =>
    inTurn(async (): Promise<MailOutcome> => {
      if (signal.aborted) return TIMED_OUT;
      try {
        await deliver(mail);
        return { result: 'sent' };
      } catch (error) {
        const outcome = outcomeOf(error);
        log.warn(describeError(error), outcome.result === 'refused' ? 'mail: refused' : 'mail: deferred');
        return outcome;
      }
    });

  return {
    sendMail: (mail) => {
      if (pending.size >= MAX_PENDING_MAILS) {
        mailResults.failed += 1;
        log.warn({ waiting: pending.size }, 'mail: not sent, because too many wait');
        return;
      }
      const sending = inTurn(() => sendWithRetry(mail)).finally(() => pending.delete(sending));
      pending.add(sending);
    },
    tryMail: async (mail) => {
      const expired = AbortSignal.any([AbortSignal.timeout(attemptTimeoutMs), attemptsEnded.signal]);
      const timeout = new Promise<MailOutcome>((resolve) =>
        expired.addEventListener('abort', () => resolve(TIMED_OUT), { once: true }),
      );
      const outcome = await Promise.race([attempt(mail, expired), timeout]);
      mailResults[outcome.result === 'refused' ? 'failed' : outcome.result] += 1;
      return outcome;
    },
    endAttempts: (ms) => {
      setTimeout(() => attemptsEnded.abort(), ms).unref();
    },
    stop: async (timeoutMs) => {
      stopping.abort(); // retries no longer wait
      const timer = new AbortController();
      const timeout = wait(timeoutMs, 'timeout', { signal: timer.signal }).catch(() => 'sent');
      const end = await Promise.race([Promise.all(pending).then(() => 'sent'), timeout]);
      timer.abort();
      if (end === 'timeout') log.warn({ mails: pending.size }, 'mail: not sent before the shutdown');
    },
  };
}

const TIMED_OUT: MailOutcome = { result: 'deferred', reason: 'no reply in time' };

/** A connection for each mail: mails are rare. nodemailer is loaded at the first mail, which keeps the start fast. */
async function openTransport(smtpUrl: string) {
  const { createTransport } = await import('nodemailer');
  const { username, hostname } = new URL(smtpUrl);
  return createTransport({
    url: smtpUrl,
    requireTLS: username !== '' && !isLoopbackUrl(`http://${hostname}`),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    dnsTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** Returns true for a response of the mail server that a retry does not change. https://www.rfc-editor.org/rfc/rfc5321#section-4.2.1 */
const isPermanent = (error: unknown): boolean => {
  const { responseCode } = describeError(error);
  return typeof responseCode === 'number' && responseCode >= 500;
};

/** Commands whose permanent rejection is one of the mailbox. That of others is one of the settings, which the operator corrects. */
const MAILBOX_COMMANDS: readonly unknown[] = ['RCPT TO', 'DATA'];

function outcomeOf(error: unknown): Exclude<MailOutcome, { result: 'sent' }> {
  const { code, responseCode, command } = describeError(error);
  const isRefused = isPermanent(error) && MAILBOX_COMMANDS.includes(command);
  return {
    result: isRefused ? 'refused' : 'deferred',
    reason: `${String(responseCode ?? code)} after ${String(command)}`,
  };
}

/** Fields of an error of nodemailer that quote neither the mail nor the password. */
function describeError(error: unknown): Record<string, unknown> {
  const fields = ['code', 'responseCode', 'command'];
  return Object.fromEntries(fields.map((field) => [field, Reflect.get(Object(error), field)]));
}
