import type { Logger } from 'pino';
import type { Mail, MailOutcome, TryMail } from '../../procedures/core/services.ts';
import { mailResults } from '../../procedures/mail/sender.ts';
import { isLoopbackUrl } from '../../procedures/sign-in/issuer.ts';

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

/** Characters in an encoded word: at most 40 bytes, which are 56 in base64. A word has at most 75. */
const ENCODED_WORD_CHARACTERS = /.{1,10}/gsu;

/** A sender. */
interface Mailbox {
  /** Empty without a display name. */
  name: string;
  address: string;
}

/** Message of nodemailer for a mail. */
const toMessage = (mail: Mail, from: Mailbox) => ({
  // As objects both are one address, never a list.
  from,
  to: { name: '', address: mail.to },
  subject: headerText(mail.subject),
  text: mail.text,
  html: mail.html,
  headers: {
    'Auto-Submitted': 'auto-generated',
    // Exchange and Outlook send no notes of absence and no receipts. [MS-OXCMAIL] 2.1.3.2.20
    'X-Auto-Response-Suppress': 'All',
    ...(mail.unsubscribeUrl !== undefined && {
      // On one line each, also if the URL is long: some receivers look for it there.
      'List-Unsubscribe': { prepared: true, value: `<${mail.unsubscribeUrl}>` },
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    }),
  },
});

/**
 * Removes line breaks, which would begin another header, and encodes text that looks like an encoded word, which nodemailer would
 * send as it is, and receivers would decode. https://www.rfc-editor.org/rfc/rfc2047#section-2
 */
function headerText(text: string): string {
  const line = text.replaceAll(/\p{Cc}+/gu, ' ').trim();
  if (!line.includes('=?')) return line;
  const parts = line.match(ENCODED_WORD_CHARACTERS) ?? [];
  return parts.map((part) => `=?UTF-8?B?${Buffer.from(part).toString('base64')}?=`).join(' ');
}

/**
 * Creates a mailer. A mail that is not sent is logged without its text, which may contain a link that signs a person in. The
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

/** Description of an error, without the mail and the password, which the error may quote. */
interface Failure {
  code: string;
  responseCode?: number;
  command: string;
  /** Reply of the server; without one the error of the connection. */
  reply: string;
  isMissingMailbox: boolean;
}

/** Maximum length of a reply in a log line and in an error, in characters. */
const MAX_REPLY_LENGTH = 300;
/** Characters of a reply that are searched for links. The rest is beyond the maximum and is cut off. */
const SEARCHED_LENGTH = 4 * MAX_REPLY_LENGTH;

/** A reply may quote the mail, whose links sign people in, and its recipient: addresses of the web, hosts with a path, tokens. */
const LINK = /\S*(?::\/\/|\bwww\.|[\w-]\.[\w-]{2,}(?::\d+)?\/)\S*|[\w-]{40,}/gi;
const ADDRESS = /[^\s<>()[\]",;:]+@[^\s<>()[\]",;:]+/g;

/** Codes of a mailbox that does not exist, or is disabled. https://www.rfc-editor.org/rfc/rfc3463 */
const MAILBOX_CODES: ReadonlySet<string> = new Set(['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.2.1']);
/** Commands whose reply may be about the mailbox. */
const MAILBOX_COMMANDS: ReadonlySet<string> = new Set(['RCPT TO', 'DATA']);

/**
 * Returns true for a reply that says that this mailbox does not exist. Every other one, also a permanent one, is about the server,
 * the sender, the mail or its time, and says nothing about the next mail.
 * @param command command of SMTP that the server replied to
 */
function namesMissingMailbox(reply: string, command: string): boolean {
  const [, code = '', enhanced] = /^(\d{3})(?:[ -]+#?(\d\.\d{1,3}\.\d{1,3})(?!\d))?/.exec(reply) ?? [];
  if (!code.startsWith('5') || !MAILBOX_COMMANDS.has(command)) return false;
  return enhanced === undefined ? code === '550' && command === 'RCPT TO' : MAILBOX_CODES.has(enhanced);
}

/**
 * The text of a reply for the log and for the operator, in one line.
 * @param secret password of the mail server, which a reply may quote
 */
function readableReply(reply: string, secret: string): string {
  const start = reply.slice(0, SEARCHED_LENGTH);
  const line = (secret === '' ? start : start.replaceAll(secret, '[password]'))
    .replaceAll(LINK, '[link]')
    .replaceAll(ADDRESS, '[address]')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  return line.length > MAX_REPLY_LENGTH ? `${line.slice(0, MAX_REPLY_LENGTH)}…` : line;
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
