import { hash, randomBytes } from 'node:crypto';
import { RECOVERY_CODE_COUNT } from '../../entities/person/recovery-code.ts';
import { encodeBase32 } from './base32.ts';

/** Length of a code: 80 bits, which are 16 characters. */
const CODE_BYTES = 10;
const CODE_PATTERN = /^[A-Z2-7]{16}$/;

/** Recovery codes as they are shown once, `abcd-efgh-ijkl-mnop`, and the hashes that are stored. */
export interface RecoveryCodes {
  codes: string[];
  hashes: Buffer[];
}

export function generateRecoveryCodes(): RecoveryCodes {
  const codes = Array.from({ length: RECOVERY_CODE_COUNT }, () => encodeBase32(randomBytes(CODE_BYTES)));
  return {
    codes: codes.map((code) => (code.toLowerCase().match(/.{4}/g) ?? []).join('-')),
    hashes: codes.map((code) => hash('sha256', code, 'buffer')),
  };
}

/** Hash of a recovery code. Its case is ignored. Returns undefined for text in another form. */
export function hashRecoveryCode(text: string): Buffer | undefined {
  const code = text.toUpperCase();
  return CODE_PATTERN.test(code) ? hash('sha256', code, 'buffer') : undefined;
}
