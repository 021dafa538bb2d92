import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'svc_sk_live_';
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BODY_LENGTH = 40;
const CHECKSUM_LENGTH = 6;
const FORMAT = new RegExp(`^${PREFIX}[${BASE62}]{${BODY_LENGTH + CHECKSUM_LENGTH}}$`);

/** Bytes of a SHA-256. */
export const HASH_BYTES = 32;

/** A new raw key: prefix, 40 random base-62 characters, and the checksum of what stands before. Contract, section 5. */
export function generateRawKey(): string {
  const body = Array.from({ length: BODY_LENGTH }, () => BASE62.charAt(randomInt(BASE62.length))).join('');
  return `${PREFIX}${body}${checksum(PREFIX + body)}`;
}

/** Whether text has the form and the checksum of a raw key; what has not is refused without asking the database. */
export function isRawKey(text: string): boolean {
  return FORMAT.test(text) && text.endsWith(checksum(text.slice(0, -CHECKSUM_LENGTH)));
}

/** SHA-256 of the whole raw key: all that is stored of it, beside what `displayParts` gives. */
export function hashRawKey(rawKey: string): Buffer {
  return createHash('sha256').update(rawKey).digest();
}

/** The parts of a raw key by which a person recognises it. */
export function displayParts(rawKey: string): { start: string; last4: string } {
  return { start: rawKey.slice(0, 16), last4: rawKey.slice(-4) };
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    digits = BASE62.charAt(rest % BASE62.length) + digits;
    rest = Math.floor(rest / BASE62.length);
  }
  return digits;
}
