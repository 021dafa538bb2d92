import type { Role } from './role.ts';
import { defineStatement, readStatement } from '../statements/define-statement.ts';

/** A member with the person. */
export interface MemberRow {
  unique_id: string;
  person_id: string;
  email: string;
  name: string;
  role: Role;
  frameworks: number[] | null;
  ended_at: string | null;
  /** Issuer of the linked account; null without a link. */
  single_sign_on: string | null;
  /** Time at which the mailbox refused mails for good. */
  mail_refused_at: string | null;
}

// These reads join `person`, which only statements for all companies reach. The company is that of the session.
const MEMBER_COLUMNS = `m.unique_id, m.person_id, p.email, p.name, m.role, m.frameworks, m.ended_at, m.single_sign_on, p.mail_refused_at
  from member m join person p on p.unique_id = m.person_id`;

/** Members of the company, also ended ones, in the order in which they joined. */
export const listMembers = readStatement<object, MemberRow>(
  'member.list',
  ({ company }) => `select ${MEMBER_COLUMNS} where m.company_id = ${company}::int order by m.unique_id`,
  'all companies',
);

/** A member of the company, also an ended one. */
export const findMember = readStatement<{ uniqueId: string }, MemberRow>(
  'member.get',
  ({ company, uniqueId }) =>
    `select ${MEMBER_COLUMNS} where m.company_id = ${company}::int and m.unique_id = ${uniqueId}::uuid`,
  'all companies',
);

/** Active members of the company with these emails. @param emails in lower case */
export const findActiveMembers = readStatement<{ emails: readonly string[] }, { email: string; unique_id: string }>(
  'member.active-by-email',
  ({ company, emails }) => `select p.email, m.unique_id from person p join member m on m.person_id = p.unique_id
  where m.company_id = ${company}::int and p.email = any(${emails}::text[]) and m.ended_at is null`,
  'all companies',
);

/** Locks a member until the end of the transaction. */
export const lockMember = defineStatement<
  { uniqueId: string },
  { person_id: string; role: Role; frameworks: number[] | null; ended_at: string | null }
>(
  'member.lock',
  ({ company, uniqueId }) => `select person_id, role, frameworks, ended_at from member
  where company_id = ${company} and unique_id = ${uniqueId} for update`,
);

export const updateMember = defineStatement<
  { uniqueId: string; role: Role; frameworks: readonly number[] | null },
  never
>(
  'member.update',
  ({ company, uniqueId, role, frameworks }) => `update member set role = ${role}, frameworks = ${frameworks}::int[]
  where company_id = ${company} and unique_id = ${uniqueId}`,
);

export const endMember = defineStatement<{ uniqueId: string }, never>(
  'member.end',
  ({ company, uniqueId }) =>
    `update member set ended_at = now() where company_id = ${company} and unique_id = ${uniqueId} and ended_at is null`,
);
