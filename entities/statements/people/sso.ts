import { CHALLENGE_MINUTES } from '../../people/sign-in-challenge.ts';
import type { Role } from '../../people/role.ts';
import { defineStatement, readStatement } from '../define-statement.ts';

export interface SsoRow {
  company_id: number;
  issuer: string;
  client_id: string;
  /** Encrypted. */
  client_secret: string;
  domains: string[];
  confirmed_domains: string[];
  required: boolean;
  role: Role;
}

const COLUMNS = 'company_id, issuer, client_id, client_secret, domains, confirmed_domains, required, role';

export const findSso = readStatement<object, SsoRow>(
  'sso.get',
  ({ company }) => `select ${COLUMNS} from sso where company_id = ${company}`,
);

/** Locks the settings until the end of the transaction. */
export const lockSso = defineStatement<object, SsoRow>(
  'sso.lock',
  ({ company }) => `select ${COLUMNS} from sso where company_id = ${company} for update`,
);

/** Settings of the company that has a confirmed domain. */
export const findSsoByDomain = readStatement<{ domain: string }, SsoRow>(
  'sso.by-domain',
  ({ domain }) => `select ${COLUMNS} from sso_domain join sso using (company_id) where domain = ${domain}`,
  'all companies',
);

/** Domains that are confirmed for another company than the session's. */
export const findDomainsOfOthers = readStatement<{ domains: readonly string[] }, { domain: string }>(
  'sso.domains-of-others',
  ({ company, domains }) =>
    `select domain from sso_domain where domain = any(${domains}::text[]) and company_id <> ${company}::int order by domain`,
  'all companies',
);

interface SsoSettings {
  issuer: string;
  clientId: string;
  /** Encrypted. */
  clientSecret: string;
  isNewSecret: boolean;
  domains: readonly string[];
  required: boolean;
  role: Role;
}

/** Inserts or changes the settings. Domains that were confirmed and are still listed stay confirmed. */
export const saveSso = defineStatement<SsoSettings, SsoRow>(
  'sso.save',
  ({ company, issuer, clientId, clientSecret, isNewSecret, domains, required, role }) => `insert into sso as s
    (company_id, issuer, client_id, client_secret, domains, required, role)
  values (${company}::int, ${issuer}, ${clientId}, ${clientSecret}, ${domains}::text[], ${required}, ${role})
  on conflict (company_id) do update set issuer = excluded.issuer, client_id = excluded.client_id,
    client_secret = excluded.client_secret, domains = excluded.domains, required = excluded.required, role = excluded.role,
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

export const deleteSso = defineStatement<object, { company_id: number }>(
  'sso.delete',
  ({ company }) => `delete from sso where company_id = ${company}::int returning company_id`,
);

/**
 * Inserts the challenge of a sign-in, and deletes one that has expired, so that the table does not grow. Two or more could
 * deadlock with a concurrent statement.
 */
export const insertSsoChallenge = defineStatement<{ hash: Buffer; forCompany: number }, never>(
  'sso-challenge.insert',
  ({ hash, forCompany }) => `with expired as (delete from sign_in_challenge where hash = (
    select c.hash from sign_in_challenge c where c.expires_at < now() order by c.expires_at limit 1))
  insert into sign_in_challenge (hash, kind, company_id, expires_at)
  values (${hash}, 'sso', ${forCompany}::int, now() + interval '${CHALLENGE_MINUTES} minutes')`,
  'all companies',
);

/** Deletes the challenge of a sign-in, so that it works once. Returns no row if it is unknown, used or expired. */
export const useSsoChallenge = defineStatement<{ hash: Buffer }, { company_id: number }>(
  'sso-challenge.use',
  ({ hash }) => `delete from sign_in_challenge where hash = ${hash} and kind = 'sso' and expires_at > now()
  returning company_id`,
  'all companies',
);

/** Person of an account at an identity provider, if that person is or was a member of a company. */
export const findPersonOfIdentity = readStatement<
  { issuer: string; subject: string; forCompany: number },
  { person_id: string; email: string; name: string }
>(
  'identity.person',
  ({ issuer, subject, forCompany }) => `select p.unique_id as person_id, p.email, p.name
  from identity i join person p on p.unique_id = i.person_id
  where i.issuer = ${issuer} and i.subject = ${subject}
    and exists (select from member m where m.company_id = ${forCompany}::int and m.person_id = p.unique_id)`,
  'all companies',
);

/** Links an account at an identity provider to a person, unless it is linked. */
export const insertIdentity = defineStatement<{ issuer: string; subject: string; person: string }, never>(
  'identity.insert',
  ({ issuer, subject, person }) => `insert into identity (issuer, subject, person_id)
  values (${issuer}, ${subject}, ${person}::uuid) on conflict (issuer, subject) do nothing`,
  'all companies',
);
