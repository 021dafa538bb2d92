import type { Role } from '../member/role.ts';
import { isServed } from '../company/closing.ts';
import { SESSION_DAYS, SESSION_IDLE_HOURS } from './web-session.ts';
import type { SignInMethod } from './sign-in.ts';
import { defineStatement, pipelinedRead, readStatement } from '../statements/define-statement.ts';
import { addSessionEntries } from './sign-in-log.ts';
import type { EntryBrowser } from './sign-in-log.ts';

/** A member with the name of its person. */
export interface MembershipRow {
  company: number;
  /** uniqueId of the member. */
  uniqueId: string;
  name: string;
  role: Role;
  frameworks: number[] | null;
}

interface WebSessionRow extends MembershipRow {
  /** uniqueId of the session. */
  session: string;
  person_id: string;
  single_sign_on: boolean;
  /** True if `seen_at` must be updated. */
  is_stale: boolean;
  isFrozen: boolean;
  /** Last day of the membership; null without one. */
  ends_at: string | null;
  time_zone: string;
}

/**
 * Condition of a valid session. It compares times in PostgreSQL, which all processes share.
 * @param alias of `web_session`
 */
export const isValidSession = (alias: string) =>
  `${alias}.expires_at > now() and ${alias}.seen_at > now() - interval '${SESSION_IDLE_HOURS} hours'`;

/**
 * Finds a valid session and its member by the hash of the token, in all companies. The role comes from the member, so a
 * change holds from the next request. A session that acts for a closed company is not found, as one of an ended member.
 */
export const findWebSession = pipelinedRead<{ tokenHash: Buffer }, WebSessionRow>(
  'web-session.by-token',
  ({
    tokenHash,
  }) => `select s.unique_id as session, s.person_id, s.company_id as company, m.unique_id as "uniqueId", p.name, m.role, m.frameworks,
    s.single_sign_on, s.seen_at < now() - interval '1 minute' as is_stale,
    c.frozen_at is not null as "isFrozen", m.ends_at, c.time_zone
  from web_session s
    join company c on c.id = s.company_id
    join person p on p.unique_id = s.person_id
    join member m on m.company_id = s.company_id and m.person_id = s.person_id and m.ended_at is null
  where s.token_hash = ${tokenHash} and ${isValidSession('s')} and ${isServed('s.company_id')}`,
  'all companies',
);

/** Records the last request of a session, at most once a minute. */
export const touchWebSession = defineStatement<{ uniqueId: string }, never>(
  'web-session.touch',
  ({ uniqueId }) => `update web_session set seen_at = now()
  where unique_id = ${uniqueId} and seen_at < now() - interval '1 minute'`,
  'all companies',
);

interface NewWebSession extends EntryBrowser {
  uniqueId: string;
  tokenHash: Buffer;
  person: string;
  /** Id of the company that the session acts for. */
  actsFor: number;
  method: SignInMethod;
  /** Domain of the email that the identity provider sent; null for another method. */
  singleSignOnDomain: string | null;
  hasSecondFactor: boolean;
}

/** Inserts a session and its entry, and makes its company the one that the next sign-in acts for. */
export const insertWebSession = defineStatement<NewWebSession, { unique_id: string }>(
  'web-session.insert',
  ({
    uniqueId,
    tokenHash,
    person,
    actsFor,
    method,
    singleSignOnDomain,
    hasSecondFactor,
    userAgent,
    address,
  }) => `with remembered as (
    update person set last_company_id = ${actsFor}::int where unique_id = ${person}::uuid),
  session as (
    insert into web_session (unique_id, token_hash, person_id, company_id, single_sign_on, single_sign_on_domain, passkey,
      second_factor_at, user_agent, address, expires_at)
    values (${uniqueId}::uuid, ${tokenHash}, ${person}::uuid, ${actsFor}::int, ${method}::text = 'sso', ${singleSignOnDomain},
      ${method} = 'passkey', case when ${hasSecondFactor}::boolean then now() end, ${userAgent}, ${address},
      now() + interval '${SESSION_DAYS} days')
    returning *),
  listed as (${addSessionEntries('signed_in')})
  select unique_id from session`,
  'all companies',
);

/** A session with its person. */
export interface SessionOfPerson {
  uniqueId: string;
  person: string;
}

interface CurrentSessionRow {
  email: string;
  name: string;
  company_name: string;
  time_zone: string;
  lock_closed: boolean;
  single_sign_on: boolean;
}

/** The person and the company of a session. */
export const findCurrentSession = readStatement<{ uniqueId: string }, CurrentSessionRow>(
  'web-session.current',
  ({ uniqueId }) => `select p.email, p.name, c.name as company_name, c.time_zone, c.lock_closed, s.single_sign_on
  from web_session s join person p on p.unique_id = s.person_id join company c on c.id = s.company_id
  where s.unique_id = ${uniqueId}`,
  'all companies',
);

/** Makes a session act for another company, and the next sign-in too. The entry of another company has the present browser. */
export const switchCompany = defineStatement<
  SessionOfPerson & EntryBrowser & { actsFor: number },
  { unique_id: string }
>(
  'web-session.switch-company',
  ({ uniqueId, person, actsFor, address, userAgent }) => `with remembered as (
    update person set last_company_id = ${actsFor}::int where unique_id = ${person}::uuid),
  session as (
    select * from web_session where unique_id = ${uniqueId} and person_id = ${person}::uuid for update),
  listed as (${addSessionEntries('signed_in', {
    company: `${actsFor}::int`,
    address: `${address}::text`,
    userAgent: `${userAgent}::text`,
  })} where session.company_id <> ${actsFor}::int)
  update web_session w set company_id = ${actsFor}::int from session where w.unique_id = session.unique_id
  returning w.unique_id`,
  'all companies',
);
