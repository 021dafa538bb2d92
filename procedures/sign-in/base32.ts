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
