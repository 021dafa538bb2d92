import { defineEntity, p } from '@mikro-orm/core';
import { SHA256_BYTES } from '../api-key/raw-key.ts';
import { Company } from '../company/company.ts';
import { crossCompanyOnly } from '../schema/row-level-security.ts';
import { personReference } from '../person/person.ts';

/** Minutes in which a person completes a sign-in or the registration of a passkey. */
export const CHALLENGE_MINUTES = 10;

const CHALLENGE_KINDS = ['passkey_sign_in', 'passkey_registration', 'sso', 'sso_link'] as const;

const signInChallengeSchema = defineEntity({
  name: 'SignInChallenge',
  properties: {
    /** SHA-256 of a random value that the browser returns. */
    hash: p.blob().primary(),
    kind: p.enum(CHALLENGE_KINDS),
    /** Person who registers a passkey, or whose password is missing for a link; else null. */
    person: () => personReference().nullable(),
    /** Company of the identity provider for single sign-on; else null. */
    company: () =>
      p.manyToOne(Company).joinColumn('company_id').nullable().updateRule('no action').deleteRule('no action'),
    /** Provider of a single sign-on, and for a link the account that waits for the password; else null. */
    details: p.json<object>().nullable(),
    expiresAt: p.datetime(3),
  },
  ...crossCompanyOnly,
  indexes: [{ name: 'sign_in_challenge_by_expiry', properties: ['expiresAt'] }],
  checks: [
    { name: 'sign_in_challenge_sha256', expression: `octet_length(hash) = ${SHA256_BYTES}` },
    {
      name: 'sign_in_challenge_person',
      expression: `(kind = ANY (ARRAY['passkey_registration'::text, 'sso_link'::text])) = (person_id IS NOT NULL)`,
    },
    {
      name: 'sign_in_challenge_company',
      expression: `(kind = ANY (ARRAY['sso'::text, 'sso_link'::text])) = (company_id IS NOT NULL)`,
    },
    { name: 'sign_in_challenge_details', expression: '(company_id IS NULL) = (details IS NULL)' },
  ],
});

/** A random value that works once, between the two steps of a sign-in. It is deleted when it is used. */
export class SignInChallenge extends signInChallengeSchema.class {
  static readonly writePrivileges = ['insert', 'delete'] as const;
}
signInChallengeSchema.setClass(SignInChallenge);
