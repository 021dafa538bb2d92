import { defineEntity, p } from '@mikro-orm/core';
import { SHA256_BYTES } from '../api-key/raw-key.ts';
import { crossCompanyOnly } from '../schema/row-level-security.ts';
import { personReference } from './person.ts';

/** Number of recovery codes that a person gets with a second factor. */
export const RECOVERY_CODE_COUNT = 10;

const recoveryCodeSchema = defineEntity({
  name: 'RecoveryCode',
  properties: {
    person: () => personReference().primary(),
    /** SHA-256 of the code. */
    codeHash: p.blob().primary(),
  },
  ...crossCompanyOnly,
  checks: [{ name: 'recovery_code_sha256', expression: `octet_length(code_hash) = ${SHA256_BYTES}` }],
});

/** A code in place of the second factor. It is deleted when it is used. */
export class RecoveryCode extends recoveryCodeSchema.class {
  static readonly writePrivileges = ['insert', 'delete'] as const;
}
recoveryCodeSchema.setClass(RecoveryCode);
