import { defineEntity, p } from '@mikro-orm/core';
import { SHA256_BYTES } from '../api-key/raw-key.ts';
import { Company } from '../company/company.ts';
import { crossCompanyOnly } from '../schema/row-level-security.ts';
import { personReference } from '../person/person.ts';
import { MAX_DOMAIN_LENGTH } from '../single-sign-on/sso.ts';

/** Lifetime of a session after the sign-in, and after its last request. Contract, section 16. */
export const SESSION_DAYS = 7;
export const SESSION_IDLE_HOURS = 12;

export const MAX_USER_AGENT_LENGTH = 300;
export const MAX_ADDRESS_LENGTH = 64;

const webSessionSchema = defineEntity({
  name: 'WebSession',
  properties: {
    uniqueId: p.uuid().primary(),
    /** SHA-256 of the token in the cookie. The token itself is never stored. */
    tokenHash: p.blob().hidden(),
    person: personReference,
    /** Company for which the session acts. */
    company: () => p.manyToOne(Company).joinColumn('company_id').updateRule('no action').deleteRule('no action'),
    /** True after single sign-on: the session can act only for the company of the identity provider. */
    singleSignOn: p.boolean().default(false),
    /** Domain of the email that the provider sent. The session ends when the company loses the domain. */
    singleSignOnDomain: p.string().length(MAX_DOMAIN_LENGTH).nullable(),
    /** True after a sign-in with a passkey. A session with neither began with a password. */
    passkey: p.boolean().default(false),
    /** Time at which a second factor was verified; null without one. */
    secondFactorAt: p.datetime(3).nullable(),
    userAgent: p.string().length(MAX_USER_AGENT_LENGTH),
    address: p.string().length(MAX_ADDRESS_LENGTH).nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    /** To the minute. */
    seenAt: p.datetime(3).defaultRaw('now()'),
    expiresAt: p.datetime(3),
  },
  ...crossCompanyOnly,
  uniques: [{ name: 'web_session_token_unique', properties: ['tokenHash'] }],
  indexes: [
    { name: 'web_session_by_person', properties: ['person'] },
    { name: 'web_session_by_expiry', properties: ['expiresAt'] },
  ],
  checks: [
    { name: 'web_session_token_sha256', expression: `octet_length(token_hash) = ${SHA256_BYTES}` },
    { name: 'web_session_domain', expression: 'single_sign_on OR single_sign_on_domain IS NULL' },
    { name: 'web_session_method', expression: 'NOT (single_sign_on AND passkey)' },
  ],
});

/** A signed-in browser of a person. */
export class WebSession extends webSessionSchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
}
webSessionSchema.setClass(WebSession);
