import { toSnakeCase } from '../schema/audited-resource.ts';
import { ACCOUNT_VERBS } from './member.ts';
import type { AccountVerb } from './member.ts';
import { isWritable } from '../company/closing.ts';
import type { Role } from './role.ts';
import { emailOf } from '../person/person.ts';
import { byName } from '../statements/by-name.ts';
import type { NamedId, Names } from '../statements/by-name.ts';
import { defineStatement, readStatement } from '../statements/define-statement.ts';

/** A member with the person. */
export interface MemberRow {
  unique_id: string;
  /** Null for an ended member who has deleted the account. */
  person_id: string | null;
  email: string;
  name: string;
  role: Role;
  frameworks: number[] | null;
  /** Last day of the membership; null without one. */
  ends_at: string | null;
  ended_at: string | null;
  /** Issuer of the linked account; null without a link. */
  single_sign_on: string | null;
  /** Time at which the mailbox rejected mails permanently. */
  mail_refused_at: string | null;
  /** True if the person must accept an invitation first. */
  is_unclaimed: boolean;
}

// These reads join `person`, which only statements for all companies reach. The company is that of the session. Who deleted the
// account has the name and the email of the last record.
/** SQL of the members `m` of all companies, with the expressions of their email and name. */
export const MEMBERS = {
  from: `member m left join person p on p.unique_id = m.person_id
    left join identity i on i.company_id = m.company_id and i.identity = m.identity`,
  email: `coalesce(${emailOf('p')}, i.email)`,
  name: 'coalesce(p.name, i.name)',
};

const MEMBER_COLUMNS = `m.unique_id, m.person_id, ${MEMBERS.email} as email, ${MEMBERS.name} as name, m.role,
    m.frameworks, m.ends_at, m.ended_at, m.single_sign_on, p.mail_refused_at,
    p.unclaimed_email is not null as is_unclaimed
  from ${MEMBERS.from}`;

/** Members of the company, also ended ones, in the order in which they joined. Forgotten ones are left out. */
export const listMembers = readStatement<object, MemberRow>(
  'member.list',
  ({ company }) =>
    `select ${MEMBER_COLUMNS} where m.company_id = ${company}::int and m.forgotten_at is null order by m.unique_id`,
  'all companies',
);

/** A member of the company, also an ended one, but not a forgotten one. */
export const findMember = readStatement<{ uniqueId: string }, MemberRow>(
  'member.get',
  ({ company, uniqueId }) =>
    `select ${MEMBER_COLUMNS}
  where m.company_id = ${company}::int and m.unique_id = ${uniqueId}::uuid and m.forgotten_at is null`,
  'all companies',
);

/** Active members of the company with these emails. @param emails in lower case */
export const findActiveMembers = readStatement<
  { emails: readonly string[] },
  Pick<MemberRow, 'email' | 'unique_id' | 'role' | 'frameworks' | 'ends_at' | 'is_unclaimed'>
>(
  'member.active-by-email',
  ({
    company,
    emails,
  }) => `select ${emailOf('p')} as email, m.unique_id, m.role, m.frameworks, m.ends_at, p.unclaimed_email is not null as is_unclaimed
  from person p join member m on m.person_id = p.unique_id
  where m.company_id = ${company}::int and m.ended_at is null
    and (p.email = any(${emails}::text[]) or p.unclaimed_email = any(${emails}::text[]))`,
  'all companies',
);

/** Active members with these names. */
export const findActiveMembersByName = readStatement<Names, NamedId>('member.active-by-name', ({ company, names }) =>
  byName(
    names,
    'm.unique_id',
    'u.name',
    `member m join company_user u on u.company_id = m.company_id and u.unique_id = m.unique_id
    where m.company_id = ${company}::int and m.ended_at is null`,
  ),
);

/** Locks a member until the end of the transaction. No row for a forgotten one. */
export const lockMember = defineStatement<
  { uniqueId: string },
  Pick<MemberRow, 'person_id' | 'role' | 'frameworks' | 'ends_at' | 'ended_at'>
>(
  'member.lock',
  ({ company, uniqueId }) => `select person_id, role, frameworks, ends_at, ended_at from member
  where company_id = ${company} and unique_id = ${uniqueId} and forgotten_at is null for update`,
);

export const updateMember = defineStatement<
  { uniqueId: string; role: Role; frameworks: readonly number[] | null; endsAt: string | null },
  never
>(
  'member.update',
  ({
    company,
    uniqueId,
    role,
    frameworks,
    endsAt,
  }) => `update member set role = ${role}, frameworks = ${frameworks}::int[], ends_at = ${endsAt}::date
  where company_id = ${company} and unique_id = ${uniqueId}`,
);

/** Another member who is an admin without a last day. No row if there is none. */
export const findLastingAdmin = readStatement<{ except: string | null }, { unique_id: string }>(
  'member.lasting-admin',
  ({ company, except }) => `select unique_id from member
  where company_id = ${company} and role = 'admin' and ended_at is null and ends_at is null
    and unique_id is distinct from ${except}::uuid limit 1`,
);

interface EndingMember {
  company: number;
  uniqueId: string;
  endsAt: string;
  timeZone: string;
}

/** Active members whose last day was before a day, or is that day. It may not be over in the time zone of the company. */
export const findEndingMembers = readStatement<{ day: string }, EndingMember>(
  'member.ending',
  ({
    day,
  }) => `select m.company_id as company, m.unique_id as "uniqueId", m.ends_at as "endsAt", c.time_zone as "timeZone"
  from member m join company c on c.id = m.company_id
  where m.ends_at <= ${day}::date and m.ends_at is not null and m.ended_at is null and ${isWritable('c.id')}
  order by m.company_id, m.unique_id`,
  'all companies',
);

export const endMember = defineStatement<{ uniqueId: string }, never>(
  'member.end',
  ({ company, uniqueId }) =>
    `update member set ended_at = now() where company_id = ${company} and unique_id = ${uniqueId} and ended_at is null`,
);

/**
 * Writes the event of a change of the account of a member: the audit trigger sees the new time of the change. The clock of the embedded
 * database has milliseconds, and two changes within one are two events.
 */
export const recordAccountEvent = defineStatement<{ member: string; verb: AccountVerb }, never>(
  'member.account-event',
  ({ company, member, verb }) => `update member set ${Object.entries(ACCOUNT_VERBS)
    .map(([property, name]) => [toSnakeCase(property), name])
    .map(
      ([column, name]) =>
        `${column} = case when ${verb}::text = '${name}' then greatest(clock_timestamp(), ${column} + interval '1 microsecond') else ${column} end`,
    )
    .join(', ')}
  where company_id = ${company} and unique_id = ${member}`,
);
