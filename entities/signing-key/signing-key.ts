import { defineEntity, p } from '@mikro-orm/core';
import { defineStatement, readStatement } from '../statements/define-statement.ts';

/** Length in characters of 32 bytes in base64url. */
const BASE64URL_LENGTH = 43;

const signingKeySchema = defineEntity({
  name: 'SigningKey',
  properties: {
    /** Thumbprint of the public key (RFC 7638): the `kid`. */
    keyId: p.string().length(BASE64URL_LENGTH).primary(),
    /** The public key of Ed25519 in base64url: `x` of the JWK (RFC 8037). */
    publicKey: p.string().length(BASE64URL_LENGTH),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

/**
 * The public half of a key with which a process of the installation signs or has signed. Rows stay, so that old proofs can be
 * checked. Contract, section 20.
 */
export class SigningKey extends signingKeySchema.class {
  static readonly writePrivileges = ['insert'] as const;
}
signingKeySchema.setClass(SigningKey);

/** A public key of the installation. */
interface SigningKeyRow {
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
