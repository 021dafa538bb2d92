import { defineEntity, p } from '@mikro-orm/core';
import { crossCompanyOnly } from '../schema/row-level-security.ts';
import { CHALLENGE_MINUTES } from '../sign-in/sign-in-challenge.ts';
import { defineStatement, readStatement } from '../statements/define-statement.ts';
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

/** Stores a challenge. `person` is null for a sign-in. */
export const insertPasskeyChallenge = defineStatement<{ hash: Buffer; person: string | null }, never>(
  'passkey.insert-challenge',
  ({ hash, person }) => `insert into sign_in_challenge (hash, kind, person_id, expires_at)
  values (${hash}, case when ${person}::uuid is null then 'passkey_sign_in' else 'passkey_registration' end,
    ${person}::uuid, now() + interval '${CHALLENGE_MINUTES} minutes')`,
  'all companies',
);

/** Uses a challenge. Of concurrent statements, one returns a row. `person` is null for a sign-in. */
export const deletePasskeyChallenge = defineStatement<{ hash: Buffer; person: string | null }, { kind: string }>(
  'passkey.delete-challenge',
  ({ hash, person }) => `delete from sign_in_challenge
  where hash = ${hash} and expires_at > now() and person_id is not distinct from ${person}::uuid
    and kind = case when ${person}::uuid is null then 'passkey_sign_in' else 'passkey_registration' end
  returning kind`,
  'all companies',
);

interface PasskeyRow {
  unique_id: string;
  credential_id: string;
  transports: string[];
  created_at: string;
  last_used_at: string | null;
}

/** The passkeys of a person, the oldest first. */
export const listPasskeys = readStatement<{ person: string }, PasskeyRow>(
  'passkey.of-person',
  ({ person }) => `select unique_id, credential_id, transports, created_at, last_used_at
  from passkey where person_id = ${person} order by created_at, unique_id`,
  'all companies',
);

interface Credential {
  credentialId: string;
  publicKey: Buffer;
  counter: number;
  transports: readonly string[];
}

/** Inserts a passkey. Returns no row if it is registered, or the person has the maximum number. */
export const insertPasskey = defineStatement<
  Credential & { uniqueId: string; person: string },
  { unique_id: string; created_at: string }
>(
  'passkey.insert',
  ({ uniqueId, person, credentialId, publicKey, counter, transports }) => `insert into passkey
    (unique_id, person_id, credential_id, public_key, counter, transports)
  select ${uniqueId}::uuid, ${person}::uuid, ${credentialId}, ${publicKey}::bytea, ${counter}::bigint, ${transports}::text[]
  where (select count(*) from passkey where person_id = ${person}::uuid) < ${MAX_PASSKEYS}
  on conflict (credential_id) do nothing returning unique_id, created_at`,
  'all companies',
);

interface CredentialRow {
  unique_id: string;
  person_id: string;
  /** In hexadecimal. */
  public_key: string;
  /** As text, because it is a bigint. */
  counter: string;
}

export const findPasskey = readStatement<{ credentialId: string }, CredentialRow>(
  'passkey.by-credential',
  ({ credentialId }) => `select unique_id, person_id, encode(public_key, 'hex') as public_key, counter::text
  from passkey where credential_id = ${credentialId}`,
  'all companies',
);

/**
 * Records the use of a passkey. Returns no row if its counter did not grow, which suggests a copied authenticator. An
 * authenticator without a counter always sends 0. https://www.w3.org/TR/webauthn-3/#sctn-sign-counter
 */
export const usePasskey = defineStatement<{ uniqueId: string; counter: number }, { unique_id: string }>(
  'passkey.use',
  ({ uniqueId, counter }) => `update passkey set counter = ${counter}::bigint, last_used_at = now()
  where unique_id = ${uniqueId} and (counter < ${counter}::bigint or counter = 0 and ${counter}::bigint = 0)
  returning unique_id`,
  'all companies',
);

export const deletePasskey = defineStatement<{ uniqueId: string; person: string }, { unique_id: string }>(
  'passkey.delete',
  ({ uniqueId, person }) =>
    `delete from passkey where unique_id = ${uniqueId} and person_id = ${person} returning unique_id`,
  'all companies',
);
