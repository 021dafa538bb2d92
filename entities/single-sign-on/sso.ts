import { defineEntity, p } from '@mikro-orm/core';
import { auditedResource } from '../schema/audited-resource.ts';
import { companyKey, tenantIsolation } from '../schema/tenancy.ts';
import { auditTrigger, forbidTrigger } from '../schema/triggers.ts';
import { ROLES } from '../member/role.ts';

/** Maximum length of the URL of an identity provider. */
export const MAX_ISSUER_LENGTH = 500;
/** Maximum length of `sub`, the id of an account at a provider. https://openid.net/specs/openid-connect-core-1_0.html#IDToken */
export const MAX_SUBJECT_LENGTH = 255;
/** Maximum length of a domain. https://www.rfc-editor.org/rfc/rfc1035#section-2.3.4 */
export const MAX_DOMAIN_LENGTH = 253;

const textArray = () => p.string().array().columnType('text[]');

const properties = {
  issuer: p.string().length(MAX_ISSUER_LENGTH),
  clientId: p.string().length(255),
  /** Encrypted. */
  clientSecret: p.text().hidden(),
  secretChangedAt: p.datetime(3).defaultRaw('now()'),
  /** Email domains of the company, in lower case. Each works once the operator confirmed it. */
  domains: textArray(),
  confirmedDomains: textArray().default([]),
  /** True if members with these domains cannot sign in with a password. */
  required: p.boolean().default(false),
  /** Role of a person who signs in for the first time. */
  role: p.enum(ROLES),
  /** True if an email without `email_verified` counts as verified. */
  trustEmail: p.boolean().default(false),
};

/** One for each company. Its id in the audit log is that of the company. */
const ssoResource = auditedResource('sso', properties, {
  name: null,
  unaudited: ['clientSecret'],
  idColumn: 'company_id',
  verbs: { insert: 'update', delete: 'update' },
  operations: ['update'],
});

const ssoSchema = defineEntity({
  name: 'Sso',
  properties: { company: () => companyKey.company().deleteRule('no action'), ...properties },
  ...tenantIsolation('select'),
  checks: [
    { name: 'sso_domains', expression: 'cardinality(domains) > 0' },
    { name: 'sso_confirmed_domains', expression: 'confirmed_domains <@ domains' },
  ],
  triggers: [auditTrigger(ssoResource), forbidTrigger('sso', ['update of company_id', 'truncate'])],
});

/** OpenID Connect provider of a company. Contract, section 16. */
export class Sso extends ssoSchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
  static readonly resource = ssoResource;
}
ssoSchema.setClass(Sso);

const ssoDomainSchema = defineEntity({
  name: 'SsoDomain',
  properties: {
    company: () => companyKey.company().deleteRule('no action'),
    domain: p.string().length(MAX_DOMAIN_LENGTH).primary(),
  },
  ...tenantIsolation('select'),
  uniques: [
    // Without company_id: a domain belongs to one company.
    { name: 'sso_domain_unique', properties: ['domain'] },
  ],
});

/** A confirmed domain. The table keeps it unique among companies; `confirmedDomains` has it for the audit log. */
export class SsoDomain extends ssoDomainSchema.class {
  static readonly writePrivileges = ['insert', 'delete'] as const;
}
ssoDomainSchema.setClass(SsoDomain);
