import { defineEntity, p } from '@mikro-orm/core';
import { defineStatement } from '../statements/define-statement.ts';
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

/** Stores a TOTP secret to confirm. Returns no row if the person has a confirmed one. */
export const beginTotp = defineStatement<{ person: string; secret: string }, { unique_id: string }>(
  'person.begin-totp',
  ({ person, secret }) => `update person set totp_secret = ${secret}, totp_last_step = null
  where unique_id = ${person} and totp_confirmed_at is null returning unique_id`,
  'all companies',
);

/**
 * Confirms a TOTP secret and stores new recovery codes. Returns no row if the secret was confirmed or replaced meanwhile.
 * `codeHashes` are in hexadecimal.
 */
export const confirmTotp = defineStatement<
  { person: string; secret: string; step: number; codeHashes: readonly string[] },
  { person_id: string }
>(
  'person.confirm-totp',
  ({ person, secret, step, codeHashes }) => `with confirmed as (
    update person set totp_confirmed_at = now(), totp_last_step = ${step}::bigint
    where unique_id = ${person}::uuid and totp_secret = ${secret} and totp_confirmed_at is null returning unique_id)
  insert into recovery_code (person_id, code_hash)
  select unique_id, decode(code_hash, 'hex') from confirmed, unnest(${codeHashes}::text[]) code_hash returning person_id`,
  'all companies',
);

/** Removes the TOTP secret and the recovery codes of a person. */
export const disableTotp = defineStatement<{ person: string }, never>(
  'person.disable-totp',
  ({ person }) => `with deleted as (delete from recovery_code where person_id = ${person}::uuid)
  update person set totp_secret = null, totp_confirmed_at = null, totp_last_step = null where unique_id = ${person}::uuid`,
  'all companies',
);

/**
 * Accepts the time step of a TOTP code, unless this or a later one was accepted before. Of concurrent statements, one
 * returns a row.
 */
export const acceptTotpStep = defineStatement<
  { person: string; secret: string; step: number; currentSecret: string },
  { unique_id: string }
>(
  'person.accept-totp-step',
  ({ person, secret, step, currentSecret }) => `update person
  set totp_last_step = ${step}::bigint, totp_secret = ${currentSecret}
  where unique_id = ${person} and totp_confirmed_at is not null and totp_secret = ${secret}
    and (totp_last_step is null or totp_last_step < ${step}::bigint)
  returning unique_id`,
  'all companies',
);

/** Uses a recovery code. Of concurrent statements, one returns a row. */
export const deleteRecoveryCode = defineStatement<{ person: string; codeHash: Buffer }, { person_id: string }>(
  'recovery-code.delete',
  ({ person, codeHash }) =>
    `delete from recovery_code where person_id = ${person} and code_hash = ${codeHash} returning person_id`,
  'all companies',
);
