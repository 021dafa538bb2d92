import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'svc_sk_live_';
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BODY_LENGTH = 40;
const CHECKSUM_LENGTH = 6;

/** Finds raw keys in any text: what scanners for leaked secrets are given (docs/api-keys.md). */
export const RAW_KEY_PATTERN = `${PREFIX}[0-9A-Za-z]{${BODY_LENGTH + CHECKSUM_LENGTH}}`;
const RAW_KEY_FORMAT = new RegExp(`^${RAW_KEY_PATTERN}$`);
/** Whatever begins like a raw key, whole or cut. */
const RAW_KEY_OR_PREFIX = new RegExp(`${PREFIX}[0-9A-Za-z]+`, 'g');

/** Bytes of a SHA-256. */
export const SHA256_BYTES = 32;

/** A new raw key: prefix, 40 random base-62 characters, and the checksum of what stands before. Contract, section 5. */
export function generateRawKey(): string {
  const body = Array.from({ length: BODY_LENGTH }, () => BASE62.charAt(randomInt(BASE62.length))).join('');
  return `${PREFIX}${body}${checksum(PREFIX + body)}`;
}

/** Whether text has the form and the checksum of a raw key; what has not is refused without asking the database. */
export function isRawKey(text: string): boolean {
  return RAW_KEY_FORMAT.test(text) && text.endsWith(checksum(text.slice(0, -CHECKSUM_LENGTH)));
}

/** SHA-256 of the whole raw key, in hexadecimal digits: all that is stored of it, beside what `displayParts` gives. */
export function hashRawKey(rawKey: string): string {
  return hash('sha256', rawKey);
}

/** The parts of a raw key by which a person recognises it. */
export function keyPreview(rawKey: string): { start: string; last4: string } {
  return { start: rawKey.slice(0, 16), last4: rawKey.slice(-4) };
}

/** Text in which no raw key is left, nor a part of one: for what comes from outside and is kept, logged or answered. */
export function redactRawKeys(text: string): string {
  return text.replaceAll(RAW_KEY_OR_PREFIX, `${PREFIX}[redacted]`);
}

function checksum(text: string): string {
  let remainder = crc32(text);
  let digits = '';
  for (let position = 0; position < CHECKSUM_LENGTH; position++) {
    digits = BASE62.charAt(remainder % BASE62.length) + digits;
    remainder = Math.floor(remainder / BASE62.length);
  }
  return digits;
}
