import { defineStatement, readStatement } from '../statements/define-statement.ts';

/** A public key of the installation. */
export interface SigningKeyRow {
  keyId: string;
  /** In base64url. */
  publicKey: string;
  createdAt: string;
}

/** Records the public key of a process, unless it is known. */
export const recordSigningKey = defineStatement<Pick<SigningKeyRow, 'keyId' | 'publicKey'>, never>(
  'signing-key.record',
  ({ keyId, publicKey }) =>
    `insert into signing_key (key_id, public_key) values (${keyId}, ${publicKey}) on conflict do nothing`,
  'all companies',
);

/** Every public key with which the installation signs or has signed, newest first. */
export const listSigningKeys = readStatement<object, SigningKeyRow>(
  'signing-key.list',
  `select key_id as "keyId", public_key as "publicKey", created_at as "createdAt" from signing_key
  order by created_at desc, key_id`,
  'all companies',
);
