/** Maximum length of a reply in a log line and in an error, in characters. */
const MAX_REPLY_LENGTH = 300;
/** Characters of a reply that are searched for links. What is cut off is beyond the maximum. */
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
export function namesMissingMailbox(reply: string, command: string): boolean {
  const [, code = '', enhanced] = /^(\d{3})(?:[ -]+#?(\d\.\d{1,3}\.\d{1,3})(?!\d))?/.exec(reply) ?? [];
  if (!code.startsWith('5') || !MAILBOX_COMMANDS.has(command)) return false;
  return enhanced === undefined ? code === '550' && command === 'RCPT TO' : MAILBOX_CODES.has(enhanced);
}

/**
 * The text of a reply for the log and for the operator, in one line.
 * @param secret password of the mail server, which a reply may quote
 */
export function readableReply(reply: string, secret: string): string {
  const start = reply.slice(0, SEARCHED_LENGTH);
  const line = (secret === '' ? start : start.replaceAll(secret, '[password]'))
    .replaceAll(LINK, '[link]')
    .replaceAll(ADDRESS, '[address]')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  return line.length > MAX_REPLY_LENGTH ? `${line.slice(0, MAX_REPLY_LENGTH)}…` : line;
}
