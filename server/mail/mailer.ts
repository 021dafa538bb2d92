import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Mail } from '../../procedures/core/services.ts';
import { isLoopbackUrl } from '../../procedures/sign-in/issuer.ts';

/** Milliseconds for a connection to the mail server, its greeting, and silence on the connection. */
const TIMEOUT_MS = 10_000;
/** Milliseconds before the one retry. */
const RETRY_DELAY_MS = 2000;

/** Maximum number of connections to the mail server. */
const MAX_CONNECTIONS = 5;
/** Maximum number of mails that wait or are sent. Further ones are dropped. */
export const MAX_PENDING_MAILS = 1000;

/** Sends mails in the background. */
export interface Mailer {
  sendMail: (mail: Mail) => void;
  /** Waits for pending mails. @param timeoutMs maximum number of milliseconds */
  stop: (timeoutMs: number) => Promise<void>;
}

/**
 * Creates a mailer. A mail that is not sent is only logged, without its text, which has a link that signs a person in, and
 * without the response of the server, which may quote it. Options in the query of the URL take precedence
 * (https://nodemailer.com/smtp). By default a password is sent only over TLS.
 * @param smtpUrl smtp://, or smtps:// for TLS from the start
 */
export function createMailer(
  smtpUrl: string,
  smtpFrom: string,
  log: Pick<Logger, 'warn'>,
  retryDelayMs = RETRY_DELAY_MS,
): Mailer {
  const pending = new Set<Promise<void>>();
  const waiting: (() => void)[] = [];
  let connections = 0;
  const stopping = new AbortController();

  /** Sends a mail when a connection is free. */
  async function sendInTurn(mail: Mail): Promise<void> {
    if (connections >= MAX_CONNECTIONS) await new Promise<void>((resolve) => waiting.push(resolve));
    else connections += 1;
    await send(mail);
    const next = waiting.shift();
    if (next === undefined) connections -= 1;
    else next(); // which takes this connection
  }

  async function send(mail: Mail): Promise<void> {
    try {
      const transport = await openTransport(smtpUrl);
      const message = {
        from: smtpFrom,
        // As an object it is one address, never a list.
        to: { name: '', address: mail.to },
        subject: oneLine(mail.subject),
        text: mail.text,
        headers: { 'Auto-Submitted': 'auto-generated' },
      };
      try {
        await transport.sendMail(message);
      } catch (error) {
        if (isPermanent(error)) throw error;
        await wait(retryDelayMs, undefined, { signal: stopping.signal }).catch(() => undefined);
        await transport.sendMail(message);
      }
    } catch (error) {
      log.warn(describeError(error), 'mail: not sent');
    }
  }

  return {
    sendMail: (mail) => {
      if (pending.size >= MAX_PENDING_MAILS) {
        log.warn({ waiting: pending.size }, 'mail: not sent, because too many wait');
        return;
      }
      const sending = sendInTurn(mail).finally(() => pending.delete(sending));
      pending.add(sending);
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

/** Removes line breaks, which would begin another header. */
const oneLine = (text: string) => text.replaceAll(/\p{Cc}+/gu, ' ').trim();

/** Returns true for a response of the mail server that a retry does not change. https://www.rfc-editor.org/rfc/rfc5321#section-4.2.1 */
const isPermanent = (error: unknown): boolean => {
  const { responseCode } = describeError(error);
  return typeof responseCode === 'number' && responseCode >= 500;
};

/** Fields of an error of nodemailer that quote neither the mail nor the password. */
function describeError(error: unknown): Record<string, unknown> {
  const fields = ['code', 'responseCode', 'command'];
  return Object.fromEntries(fields.map((field) => [field, Reflect.get(Object(error), field)]));
}
