import { isServed } from '../company/closing.ts';
import { defineStatement, readStatement } from '../statements/define-statement.ts';
import { revokedLinks } from './credentials.ts';
import { isReachable } from '../sign-in/session-end.ts';
import { isValidSession } from '../sign-in/web-session-statements.ts';
import type { MembershipRow } from '../sign-in/web-session-statements.ts';

/** Renames a person. No row if the person has this name. */
export const renamePerson = defineStatement<{ person: string; name: string }, { email: string }>(
  'person.rename',
  ({ person, name }) =>
    `update person set name = ${name} where unique_id = ${person} and name <> ${name} returning email`,
  'all companies',
);

/** The memberships of a person, also those that have ended, except in companies that have forgotten the person. */
export const findMemberships = readStatement<
  { person: string },
  MembershipRow & { endedAt: string | null; isOpen: boolean; movedTo: string | null }
>(
  'person.memberships',
  ({ person }) => `select m.company_id as company, m.unique_id as "uniqueId", p.name, m.role, m.frameworks,
    m.ended_at as "endedAt", ${isServed('m.company_id')} as "isOpen", c.moved_to as "movedTo"
  from member m join person p on p.unique_id = m.person_id join company c on c.id = m.company_id
  where m.person_id = ${person} order by m.company_id`,
  'all companies',
);

/**
 * Replaces a password and revokes the links of the person, which somebody else may have. Returns no row if the password was changed since it was
 * verified.
 */
export const replacePassword = defineStatement<
  { person: string; current: string; password: string },
  { unique_id: string }
>(
  'person.replace-password',
  ({ person, current, password }) => `with ${revokedLinks(person)}
  update person set password = ${password} where unique_id = ${person}::uuid and password = ${current} returning unique_id`,
  'all companies',
);

/** Gives a session a new token. Returns no row if the session has ended. */
export const replaceSessionToken = defineStatement<
  { uniqueId: string; person: string; tokenHash: Buffer },
  { unique_id: string }
>(
  'web-session.replace-token',
  ({ uniqueId, person, tokenHash }) => `update web_session set token_hash = ${tokenHash}
  where unique_id = ${uniqueId} and person_id = ${person} returning unique_id`,
  'all companies',
);

interface SessionOfPersonRow {
  uniqueId: string;
  createdAt: string;
  seenAt: string;
  address: string | null;
  userAgent: string;
}

/** The valid sessions of a person that a session shows, the one used last first. */
export const listSessionsOfPerson = readStatement<
  { person: string; singleSignOnCompany: number | null },
  SessionOfPersonRow
>(
  'web-session.of-person',
  ({ person, singleSignOnCompany }) => `select s.unique_id as "uniqueId", s.created_at as "createdAt",
    s.seen_at as "seenAt", s.address, s.user_agent as "userAgent"
  from web_session s
  where s.person_id = ${person} and ${isValidSession('s')} and ${isReachable('s', singleSignOnCompany)}
  order by s.seen_at desc, s.unique_id`,
  'all companies',
);
