import type { Role } from './role.ts';
import { defineStatement, pipelinedRead, readStatement } from '../statements/define-statement.ts';

/** Inserts a person. Returns no row if the email has an account. */
export const insertPerson = defineStatement<
  { uniqueId: string; email: string; name: string; password: string | null; isProven: boolean },
  { unique_id: string }
>(
  'person.insert',
  ({ uniqueId, email, name, password, isProven }) => `insert into person (unique_id, email, name, password, proven_at)
  values (${uniqueId}, ${email}, ${name}, ${password}, case when ${isProven}::boolean then now() end)
  on conflict (email) do nothing returning unique_id`,
  'all companies',
);

export interface PersonRow {
  unique_id: string;
  email: string;
  name: string;
  password: string | null;
  totp_secret: string | null;
  totp_confirmed_at: string | null;
  /** Null for a person who has not proved to read the mails of the address. */
  proven_at: string | null;
}

const PERSON_COLUMNS = 'unique_id, email, name, password, totp_secret, totp_confirmed_at, proven_at';

/** @param email in lower case */
export const findPersonByEmail = readStatement<{ email: string }, PersonRow>(
  'person.by-email',
  ({ email }) => `select ${PERSON_COLUMNS} from person where email = ${email}`,
  'all companies',
);

export const findPerson = readStatement<{ person: string }, PersonRow>(
  'person.by-id',
  ({ person }) => `select ${PERSON_COLUMNS} from person where unique_id = ${person}`,
  'all companies',
);

/**
 * Makes a person a member of the session's company, also again after an end. The session acts as the new member, to whom
 * the event is attributed. Returns no row if the person is an active member. `recordIdentity` belongs to it.
 */
export const joinCompany = defineStatement<
  {
    person: string;
    name: string;
    identity: string;
    role: Role;
    frameworks: readonly number[] | null;
    endsAt: string | null;
  },
  { unique_id: string }
>(
  'member.join',
  ({ company, user, person, name, identity, role, frameworks, endsAt }) => `with joined_user as (
    insert into company_user (company_id, unique_id, kind, name) values (${company}::int, ${user}::uuid, 'human', ${name})
    on conflict (company_id, unique_id) do update set name = excluded.name)
  insert into member (company_id, unique_id, person_id, role, frameworks, ends_at, identity)
  values (${company}::int, ${user}::uuid, ${person}, ${role}, ${frameworks}::int[], ${endsAt}::date, ${identity})
  on conflict (company_id, person_id) do update set role = excluded.role, frameworks = excluded.frameworks, ends_at = excluded.ends_at, ended_at = null,
    identity = excluded.identity
  where member.ended_at is not null
  returning unique_id`,
);

/** Current access of a member of the company. */
export const findMemberAccess = pipelinedRead<
  { uniqueId: string },
  {
    name: string;
    role: Role;
    frameworks: number[] | null;
    ends_at: string | null;
    ended_at: string | null;
    time_zone: string;
  }
>(
  'member.access',
  ({ company, uniqueId }) => `select u.name, m.role, m.frameworks, m.ends_at, m.ended_at, c.time_zone
  from member m join company c on c.id = m.company_id join company_user u on u.company_id = m.company_id and u.unique_id = m.unique_id
  where m.company_id = ${company} and m.unique_id = ${uniqueId}`,
);
