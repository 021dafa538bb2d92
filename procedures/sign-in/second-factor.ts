import { hash, randomBytes } from 'node:crypto';
import type { PersonRow } from '../../entities/member/statements.ts';
import { acceptTotpStep, deleteRecoveryCode, RECOVERY_CODE_COUNT } from '../../entities/person/second-factor.ts';
import type { AnySession } from '../core/context.ts';
import { totpSecretPlace } from '../core/encryption.ts';
import type { Encryption } from '../core/encryption.ts';
import { requireEncryption } from '../core/services.ts';
import { findTotpStep, isTotpCode, encodeBase32 } from './totp.ts';

/** Length of a code: 80 bits, which are 16 characters. */
const CODE_BYTES = 10;
const CODE_PATTERN = /^[A-Z2-7]{16}$/;

/** Recovery codes as they are shown once, `abcd-efgh-ijkl-mnop`, and the hashes that are stored. */
interface RecoveryCodes {
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
function hashRecoveryCode(text: string): Buffer | undefined {
  const code = text.toUpperCase();
  return CODE_PATTERN.test(code) ? hash('sha256', code, 'buffer') : undefined;
}

/**
 * Verifies a TOTP code or a recovery code. Each works once, also if several processes verify it at the same time. Spaces and
 * dashes are ignored.
 * @returns false also for a person whose second factor is not confirmed
 * @throws ApiError 422 for a TOTP code without ENCRYPTION_KEY
 */
export async function verifySecondFactor(
  session: AnySession,
  encryption: Encryption | undefined,
  { unique_id: person, totp_secret: secret, totp_confirmed_at: confirmedAt }: PersonRow,
  code: string,
): Promise<boolean> {
  if (secret === null || confirmedAt === null) return false;
  const text = withoutSeparators(code);
  if (isTotpCode(text)) {
    const totp = openTotpSecret(requireEncryption({ encryption }), person, secret);
    const step = findTotpStep(totp.bytes, text, Date.now());
    if (step === undefined) return false;
    const accepted = { person, secret, step, currentSecret: totp.encrypted };
    return (await session.first(acceptTotpStep, accepted)) !== undefined;
  }
  const codeHash = hashRecoveryCode(text);
  return codeHash !== undefined && (await session.first(deleteRecoveryCode, { person, codeHash })) !== undefined;
}

/** Removes the spaces and dashes with which people and apps group a code. */
export const withoutSeparators = (code: string): string => code.replaceAll(/[\s-]/g, '');

/** Encrypts a TOTP secret for its row. */
export const sealTotpSecret = (encryption: Encryption, person: string, bytes: Buffer): string =>
  encryption.encrypt(bytes.toString('base64url'), totpSecretPlace(person));

/** Decrypts a TOTP secret. `encrypted` uses the current key, which differs from `stored` after a rotation. */
export function openTotpSecret(encryption: Encryption, person: string, stored: string) {
  const bytes = Buffer.from(encryption.decrypt(stored, totpSecretPlace(person)), 'base64url');
  return { bytes, encrypted: encryption.isCurrent(stored) ? stored : sealTotpSecret(encryption, person, bytes) };
}
