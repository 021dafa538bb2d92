import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { WEBHOOK_SECRET_PREFIX } from '../webhook/secret.ts';

const PREFIX = 'svc_sk_live_';
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BODY_LENGTH = 40;
const CHECKSUM_LENGTH = 6;

/** Pattern of raw keys for secret scanners (docs/api-keys.md). */
export const RAW_KEY_PATTERN = `${PREFIX}[0-9A-Za-z]{${BODY_LENGTH + CHECKSUM_LENGTH}}`;
const RAW_KEY_FORMAT = new RegExp(`^${RAW_KEY_PATTERN}$`);
/** Matches whole and truncated raw keys. */
const RAW_KEY_OR_PREFIX = new RegExp(`${PREFIX}[0-9A-Za-z]+`, 'g');

/** Matches whole and truncated secrets of webhook endpoints, in base64 or base64url, also percent-encoded. */
const WEBHOOK_SECRET_OR_PREFIX = new RegExp(`${WEBHOOK_SECRET_PREFIX}[\\w+/=%-]+`, 'g');

/** Bytes of a SHA-256. */
export const SHA256_BYTES = 32;

/** Generates a raw key: prefix, 40 random base-62 characters, and a checksum of both. Contract, section 5. */
export function generateRawKey(): string {
  const body = Array.from({ length: BODY_LENGTH }, () => BASE62.charAt(randomInt(BASE62.length))).join('');
  return `${PREFIX}${body}${checksum(PREFIX + body)}`;
}

/** Checks the format and checksum of a raw key. Malformed keys are rejected without a database query. */
export function isRawKey(text: string): boolean {
  return RAW_KEY_FORMAT.test(text) && text.endsWith(checksum(text.slice(0, -CHECKSUM_LENGTH)));
}

/** True for text that is meant as a raw key, also a malformed one. */
export const isLikeRawKey = (text: string): boolean => text.startsWith(PREFIX);

/** SHA-256 of the raw key in hexadecimal digits. Only this hash and `keyPreview` are stored. */
export function hashRawKey(rawKey: string): string {
  return hash('sha256', rawKey);
}

/** Parts of a raw key that identify it to a person. */
export function keyPreview(rawKey: string): { start: string; last4: string } {
  return { start: rawKey.slice(0, 16), last4: rawKey.slice(-4) };
}

/** Redacts raw keys, secrets of webhook endpoints and parts of both, in text from outside that is stored, logged or returned. */
export function redactSecrets(text: string): string {
  return text
    .replaceAll(RAW_KEY_OR_PREFIX, `${PREFIX}[redacted]`)
    .replaceAll(WEBHOOK_SECRET_OR_PREFIX, `${WEBHOOK_SECRET_PREFIX}[redacted]`);
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
