import { defineEntity, p } from '@mikro-orm/core';
import { crossCompanyOnly } from '../schema/row-level-security.ts';
import { personReference } from './person.ts';

/** Maximum number of passkeys of a person. */
export const MAX_PASSKEYS = 20;

const passkeySchema = defineEntity({
  name: 'Passkey',
  properties: {
    uniqueId: p.uuid().primary(),
    person: personReference,
    /** Credential id of WebAuthn, in base64url. */
    credentialId: p.string().length(1400),
    /** COSE public key. */
    publicKey: p.blob(),
    /** Signature counter of the authenticator. It grows, unless the authenticator has none. */
    counter: p.bigint().default(0),
    transports: p.string().array().columnType('text[]'),
    createdAt: p.datetime(3).defaultRaw('now()'),
    lastUsedAt: p.datetime(3).nullable(),
  },
  ...crossCompanyOnly,
  uniques: [{ name: 'passkey_credential_unique', properties: ['credentialId'] }],
  indexes: [{ name: 'passkey_by_person', properties: ['person'] }],
});

/** A WebAuthn credential with which a person signs in. https://www.w3.org/TR/webauthn-3/ */
export class Passkey extends passkeySchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
}
passkeySchema.setClass(Passkey);
