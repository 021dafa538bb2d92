import type { SignInEvent } from './sign-in.ts';
import { defineStatement } from '../statements/define-statement.ts';
import { addSessionEntries } from './sign-in-log.ts';
import type { EntryBrowser } from './sign-in-log.ts';
import { isValidSession } from './web-session-statements.ts';
import type { SessionOfPerson } from './web-session-statements.ts';

/**
 * SQL that ends sessions, and adds an entry for each that was valid.
 * @param condition for rows of `web_session`
 */
const endSessions = (
  condition: string,
  event: SignInEvent = 'ended',
  columns: Parameters<typeof addSessionEntries>[1] = {},
) => `with session as (
    delete from web_session where ${condition} returning *),
  listed as (${addSessionEntries(event, columns)} where ${isValidSession('session')})
  select unique_id from session`;

/**
 * Condition of the sessions that another session of the person shows and ends. A session of single sign-on reaches only those
 * of its own company and method.
 * @param alias of `web_session`
 * @param singleSignOnCompany placeholder of the company of that session; null for one with an own credential
 */
export const isReachable = (alias: string, singleSignOnCompany: string) =>
  `(${singleSignOnCompany}::int is null or ${alias}.single_sign_on and ${alias}.company_id = ${singleSignOnCompany})`;

/** Ends a session of a person. */
export const endWebSession = defineStatement<
  SessionOfPerson & { singleSignOnCompany: number | null },
  { unique_id: string }
>(
  'web-session.end',
  ({ uniqueId, person, singleSignOnCompany }) =>
    endSessions(
      `unique_id = ${uniqueId} and person_id = ${person} and ${isReachable('web_session', singleSignOnCompany)}`,
    ),
  'all companies',
);

/** Ends the session of the browser that signs out. */
export const signOut = defineStatement<SessionOfPerson & EntryBrowser, { unique_id: string }>(
  'web-session.sign-out',
  ({ uniqueId, person, address, userAgent }) =>
    endSessions(`unique_id = ${uniqueId} and person_id = ${person}`, 'signed_out', {
      address: `${address}::text`,
      userAgent: `${userAgent}::text`,
    }),
  'all companies',
);

/** Ends all sessions of a person, except one. */
export const endWebSessions = defineStatement<{ person: string; except: string | null }, never>(
  'web-session.end-all',
  ({ person, except }) => endSessions(`person_id = ${person} and unique_id is distinct from ${except}::uuid`),
  'all companies',
);

/** Ends the sessions of a person that act for the company. */
export const endSessionsInCompany = defineStatement<{ person: string }, never>(
  'web-session.end-in-company',
  ({ company, person }) => endSessions(`person_id = ${person}::uuid and company_id = ${company}::int`),
  'all companies',
);

/** Ends the sessions of a person from single sign-on of the company. */
export const endSingleSignOnSessions = defineStatement<{ person: string }, never>(
  'web-session.end-single-sign-on',
  ({ company, person }) =>
    endSessions(`person_id = ${person}::uuid and company_id = ${company}::int and single_sign_on`),
  'all companies',
);

/** Ends the sessions from single sign-on of the company, except those from the email domains. */
export const endSessionsOfProvider = defineStatement<{ exceptDomains: readonly string[] }, never>(
  'web-session.end-of-provider',
  ({ company, exceptDomains }) =>
    endSessions(`company_id = ${company}::int and single_sign_on
      and coalesce(single_sign_on_domain <> all(${exceptDomains}::text[]), true)`),
  'all companies',
);

/** Ends the session that a browser had before a sign-in. */
export const endSessionByToken = defineStatement<{ tokenHash: Buffer }, never>(
  'web-session.end-by-token',
  ({ tokenHash }) => endSessions(`token_hash = ${tokenHash}`),
  'all companies',
);
