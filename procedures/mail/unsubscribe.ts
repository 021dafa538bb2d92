import { createHmac, timingSafeEqual } from 'node:crypto';
import { found, notFound } from '../../entities/api-error.ts';
import { MAIL_KINDS, turnOffMails } from '../../entities/person/notifications.ts';
import type { MailKind } from '../../entities/person/notifications.ts';
import type { AnySession } from '../core/context.ts';
import { requirePersonHere } from '../sign-in/attempts.ts';

const PERSON_BYTES = 16;
/** One byte with a bit for each kind, and the person. */
const CONTENT_BYTES = 1 + PERSON_BYTES;

const macOf = (secret: Buffer, content: Buffer): Buffer => createHmac('sha256', secret).update(content).digest();

/**
 * Token that turns kinds of mails off for a person. It holds both with a MAC, so that nothing is stored, and it never expires.
 * @param secret see `unsubscribeSecret`
 */
export function unsubscribeToken(secret: Buffer, person: string, kinds: readonly MailKind[]): string {
  const bits = MAIL_KINDS.reduce((sum, kind, index) => sum + (kinds.includes(kind) ? 2 ** index : 0), 0);
  const content = Buffer.concat([Buffer.of(bits), Buffer.from(person.replaceAll('-', ''), 'hex')]);
  return Buffer.concat([content, macOf(secret, content)]).toString('base64url');
}

/** Turns off the kinds of mails that a token names. @throws ApiError 404 for an unknown token, 421 after a move of the companies */
export async function unsubscribe(session: AnySession, token: string): Promise<void> {
  const bytes = Buffer.from(token, 'base64url');
  const content = bytes.subarray(0, CONTENT_BYTES);
  const [mac, expected] = [
    bytes.subarray(CONTENT_BYTES),
    macOf(await session.installation.unsubscribeSecret(), content),
  ];
  // Decoding ignores characters that are not base64url, and bits after the last byte.
  const isCanonical = bytes.toString('base64url') === token;
  if (!isCanonical || mac.length !== expected.length || !timingSafeEqual(mac, expected)) throw notFound('token');
  const [bits = 0] = content;
  const kinds = MAIL_KINDS.filter((_, index) => Math.floor(bits / 2 ** index) % 2 === 1);
  const person = content.subarray(1).toString('hex');
  await requirePersonHere(session, person);
  found(await session.first(turnOffMails, { person, kinds }), 'token');
}
