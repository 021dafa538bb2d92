import type { Logger } from 'pino';
import type { Mail, MailOutcome, TryMail } from '../../procedures/core/services.ts';
import { mailResults } from '../../procedures/mail/sending/results.ts';
import { isLoopbackUrl } from '../../procedures/sign-in/issuer.ts';
import { toMessage } from './message.ts';
import type { Mailbox } from './message.ts';
import { namesMissingMailbox, readableReply } from './reply.ts';

/** Milliseconds for a connection to the mail server, its greeting, and silence on the connection. */
const TIMEOUT_MS = 10_000;
/** Milliseconds for one attempt, with the wait for a connection. Shorter than the lease of a mail in the database. */
const ATTEMPT_TIMEOUT_MS = 45_000;

/** Maximum number of connections to the mail server. */
const MAX_CONNECTIONS = 5;

/** Sends mails. */
export interface Mailer {
  tryMail: TryMail;
  /** Ends attempts that have no outcome after this time. @param ms milliseconds from now */
  endAttempts: (ms: number) => void;
}

/**
 * Creates a mailer. A mail that is not sent is logged without its text, which may have a link that signs a person in. The
 * reply of the server is logged without links and addresses, which it may quote. Options in the query of the URL take precedence
 * (https://nodemailer.com/smtp). By default a password is sent only over TLS.
 * @param smtpUrl smtp://, or smtps:// for TLS from the start
 */
export function createMailer(
  smtpUrl: string,
  from: Mailbox,
  log: Pick<Logger, 'warn'>,
  { attemptTimeoutMs = ATTEMPT_TIMEOUT_MS } = {},
): Mailer {
  const waiting: (() => void)[] = [];
  let connections = 0;
  const attemptsEnded = new AbortController();
  const password = decodeURIComponent(new URL(smtpUrl).password);

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
  const deliver = async (mail: Mail) => (await openTransport(smtpUrl)).sendMail(toMessage(mail, from));

  /** @param signal a mail that has waited until it is aborted is not sent */
  const attempt = (mail: Mail, signal: AbortSignal) =>
    inTurn(async (): Promise<MailOutcome> => {
      if (signal.aborted) return TIMED_OUT;
      try {
        await deliver(mail);
        return { result: 'sent' };
      } catch (error) {
        const failure = failureOf(error, password);
        const result = failure.isMissingMailbox ? 'rejected' : 'deferred';
        log.warn(toLogFields(failure), `mail: ${result}`);
        return { result, reason: `${failure.command}: ${failure.reply}` };
      }
    });

  return {
    tryMail: async (mail) => {
      const expired = AbortSignal.any([AbortSignal.timeout(attemptTimeoutMs), attemptsEnded.signal]);
      const timeout = new Promise<MailOutcome>((resolve) =>
        expired.addEventListener('abort', () => resolve(TIMED_OUT), { once: true }),
      );
      const outcome = await Promise.race([attempt(mail, expired), timeout]);
      mailResults[outcome.result === 'rejected' ? 'failed' : outcome.result] += 1;
      return outcome;
    },
    endAttempts: (ms) => {
      setTimeout(() => attemptsEnded.abort(), ms).unref();
    },
  };
}

const TIMED_OUT: MailOutcome = { result: 'deferred', reason: 'no response in time' };

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

/** What went wrong, without the mail and the password, which the error may quote. */
interface Failure {
  code: string;
  responseCode?: number;
  command: string;
  /** Reply of the server; without one the error of the connection. */
  reply: string;
  isMissingMailbox: boolean;
}

/** @param password that of the mail server */
function failureOf(error: unknown, password: string): Failure {
  const field = (name: string): unknown => Reflect.get(Object(error), name);
  const [response, responseCode, command] = [field('response'), field('responseCode'), String(field('command'))];
  const reply = typeof response === 'string' ? response : String(field('message'));
  return {
    code: String(field('code')),
    ...(typeof responseCode === 'number' && { responseCode }),
    command,
    reply: readableReply(reply, password),
    isMissingMailbox: typeof response === 'string' && namesMissingMailbox(response, command),
  };
}

/** Fields of a log line. */
const toLogFields = ({ isMissingMailbox: _isMissingMailbox, ...fields }: Failure) => fields;
