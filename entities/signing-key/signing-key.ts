import { defineEntity, p } from '@mikro-orm/core';

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
