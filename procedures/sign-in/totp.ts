import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Parameters of RFC 6238 that every authenticator app supports. */
const DIGITS = 6;
const STEP_SECONDS = 30;
/** Time steps before and after the current one whose codes are accepted. */
const TOLERANCE_STEPS = 1;
/** Length of the secret. RFC 4226 recommends 160 bits. */
const SECRET_BYTES = 20;

const CODE_PATTERN = new RegExp(`^\\d{${DIGITS}}$`);

/** Generates a TOTP secret. */
export const generateTotpSecret = (): Buffer => randomBytes(SECRET_BYTES);

/** Returns true for text in the form of a TOTP code. */
export const isTotpCode = (text: string): boolean => CODE_PATTERN.test(text);

/** Number of the time step at a time. @param now milliseconds since the epoch */
export const totpStep = (now: number): number => Math.floor(now / 1000 / STEP_SECONDS);

/** Code of a time step. https://www.rfc-editor.org/rfc/rfc4226#section-5.3 */
export function totpCode(secret: Buffer, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', secret).update(counter).digest();
  const offset = digest.readUInt8(digest.length - 1) & 0xf;
  const number = digest.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/**
 * Finds the time step of a code.
 * @param code text for which `isTotpCode` is true
 * @param now milliseconds since the epoch
 * @returns undefined for a code of no accepted time step
 */
export function findTotpStep(secret: Buffer, code: string, now: number): number | undefined {
  const current = totpStep(now);
  let found: number | undefined;
  // Compares all codes in constant time.
  for (let step = current - TOLERANCE_STEPS; step <= current + TOLERANCE_STEPS; step += 1) {
    if (timingSafeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(code))) found = step;
  }
  return found;
}

/** Secret as text, and the URI that authenticator apps read from a QR code. */
export interface TotpKey {
  secret: string;
  uri: string;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const BITS = 5;

/** Encodes a multiple of 5 bytes, which needs no padding. https://www.rfc-editor.org/rfc/rfc4648#section-6 */
export function encodeBase32(bytes: Buffer): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  let text = '';
  for (let start = 0; start < bits.length; start += BITS) {
    text += ALPHABET.charAt(Number.parseInt(bits.slice(start, start + BITS), 2));
  }
  return text;
}

/**
 * The URI has the parameters of the Key Uri Format.
 * https://github.com/google/google-authenticator/wiki/Key-Uri-Format
 */
export function totpKey(bytes: Buffer, { issuer, account }: { issuer: string; account: string }): TotpKey {
  const secret = encodeBase32(bytes);
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  const parameters = `secret=${secret}&issuer=${encodeURIComponent(issuer)}`;
  return {
    secret,
    uri: `otpauth://totp/${label}?${parameters}&algorithm=SHA1&digits=${DIGITS}&period=${STEP_SECONDS}`,
  };
}
