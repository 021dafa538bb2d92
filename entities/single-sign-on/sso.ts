import { defineEntity, p } from '@mikro-orm/core';
import { auditedResource } from '../schema/audited-resource.ts';
import { companyKey, tenantIsolation } from '../schema/tenancy.ts';
import { auditTrigger, forbidTrigger } from '../schema/triggers.ts';
import { ROLES } from '../member/role.ts';
import type { Role } from '../member/role.ts';
import { isServedOrMoved } from '../company/closing.ts';
import { defineStatement, readStatement } from '../statements/define-statement.ts';

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

export interface SsoRow {
  company: number;
  issuer: string;
  clientId: string;
  /** Encrypted. */
  clientSecret: string;
  domains: string[];
  confirmedDomains: string[];
  required: boolean;
  role: Role;
  trustEmail: boolean;
}

const COLUMNS = `company_id as company, issuer, client_id as "clientId", client_secret as "clientSecret", domains,
    confirmed_domains as "confirmedDomains", required, role, trust_email as "trustEmail"`;

export const findSso = readStatement<object, SsoRow>(
  'sso.get',
  ({ company }) => `select ${COLUMNS} from sso where company_id = ${company}`,
);

/** Locks the settings until the end of the transaction. */
export const lockSso = defineStatement<object, SsoRow>(
  'sso.lock',
  ({ company }) => `select ${COLUMNS} from sso where company_id = ${company} for update`,
);

/** Settings of the company that has a confirmed domain, also after it was moved away, unless it is closed. */
export const findSsoByDomain = readStatement<{ domain: string }, SsoRow & { movedTo: string | null }>(
  'sso.by-domain',
  ({ domain }) =>
    `select ${COLUMNS}, c.moved_to as "movedTo" from sso_domain join sso using (company_id) join company c on c.id = company_id
  where domain = ${domain} and ${isServedOrMoved('c')}`,
  'all companies',
);

/**
 * Settings of the companies whose people sign in at an issuer, also of those that were moved away, unless they are closed. A company without a
 * confirmed domain has no such people: its admin may write any issuer, also that of another company.
 */
export const findSsoByIssuer = readStatement<{ issuer: string }, SsoRow & { movedTo: string | null }>(
  'sso.by-issuer',
  ({ issuer }) =>
    `select ${COLUMNS}, c.moved_to as "movedTo" from sso join company c on c.id = company_id
  where issuer = ${issuer} and cardinality(confirmed_domains) > 0 and ${isServedOrMoved('c')} order by company_id`,
  'all companies',
);

/** Domains that are confirmed for another company than the session's. */
export const findDomainsOfOthers = readStatement<{ domains: readonly string[] }, { domain: string }>(
  'sso.domains-of-others',
  ({ company, domains }) =>
    `select domain from sso_domain where domain = any(${domains}::text[]) and company_id <> ${company}::int order by domain`,
  'all companies',
);

type SsoSettings = Omit<SsoRow, 'company' | 'confirmedDomains'> & { isNewSecret: boolean };

/** Inserts or changes the settings. Domains that were confirmed and are still listed stay confirmed. */
export const saveSso = defineStatement<SsoSettings, SsoRow>(
  'sso.save',
  ({
    company,
    issuer,
    clientId,
    clientSecret,
    isNewSecret,
    domains,
    required,
    role,
    trustEmail,
  }) => `insert into sso as s
    (company_id, issuer, client_id, client_secret, domains, required, role, trust_email)
  values (${company}::int, ${issuer}, ${clientId}, ${clientSecret}, ${domains}::text[], ${required}, ${role}, ${trustEmail})
  on conflict (company_id) do update set issuer = excluded.issuer, client_id = excluded.client_id,
    client_secret = excluded.client_secret, domains = excluded.domains, required = excluded.required, role = excluded.role,
    trust_email = excluded.trust_email,
    secret_changed_at = case when ${isNewSecret}::boolean then now() else s.secret_changed_at end,
    confirmed_domains = array(select d from unnest(s.confirmed_domains) d where d = any(excluded.domains))
  returning ${COLUMNS}`,
);

/** Releases the confirmed domains that are not in the list. */
export const deleteOtherDomains = defineStatement<{ domains: readonly string[] }, never>(
  'sso-domain.delete-others',
  ({ company, domains }) =>
    `delete from sso_domain where company_id = ${company}::int and domain <> all(${domains}::text[])`,
);

/** Returns no row if the domain is confirmed for this or another company. */
export const insertDomain = defineStatement<{ domain: string }, { domain: string }>(
  'sso-domain.insert',
  ({ company, domain }) => `insert into sso_domain (company_id, domain) values (${company}::int, ${domain})
  on conflict (domain) do nothing returning domain`,
);

export const confirmDomain = defineStatement<{ domain: string }, SsoRow>(
  'sso.confirm',
  ({ company, domain }) => `update sso set confirmed_domains = confirmed_domains || ${domain}::text
  where company_id = ${company}::int returning ${COLUMNS}`,
);

export const deleteSso = defineStatement<object, never>(
  'sso.delete',
  ({ company }) => `delete from sso where company_id = ${company}::int`,
);
