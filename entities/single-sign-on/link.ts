import type { Role } from '../member/role.ts';
import { defineStatement, readStatement } from '../statements/define-statement.ts';

/** An account at an identity provider. */
interface ProviderAccount {
  issuer: string;
  subject: string;
}

/** Person of the member of a company who is linked to an account. */
export const findLinkedPerson = readStatement<ProviderAccount & { forCompany: number }, { person_id: string }>(
  'link.person',
  ({ forCompany, issuer, subject }) => `select person_id from member
  where company_id = ${forCompany}::int and person_id is not null and single_sign_on = ${issuer}
    and single_sign_on_subject = ${subject}`,
  'all companies',
);

interface LinkedMemberRow {
  unique_id: string;
  role: Role;
  frameworks: number[] | null;
  ended_at: string | null;
  single_sign_on: string | null;
  single_sign_on_subject: string | null;
}

/** Member of the company for a person, also an ended one, with the link. */
export const findMemberOfPerson = readStatement<{ person: string }, LinkedMemberRow>(
  'member.by-person',
  ({ company, person }) => `select unique_id, role, frameworks, ended_at, single_sign_on, single_sign_on_subject
  from member where company_id = ${company} and person_id = ${person}`,
);

/** Links the acting member to an account, in place of one at another issuer. */
export const linkMember = defineStatement<ProviderAccount, never>(
  'link.insert',
  ({
    company,
    user,
    issuer,
    subject,
  }) => `update member set single_sign_on = ${issuer}, single_sign_on_subject = ${subject}
  where company_id = ${company} and unique_id = ${user}`,
);

/** Removes the link of a member. No row without a link. */
export const unlinkMember = defineStatement<{ uniqueId: string }, { unique_id: string }>(
  'link.delete',
  ({ company, uniqueId }) => `update member set single_sign_on = null, single_sign_on_subject = null
  where company_id = ${company} and unique_id = ${uniqueId} and single_sign_on is not null returning unique_id`,
);

/** Removes the links of all members of the company. Returns those of active members. */
export const unlinkMembers = defineStatement<object, { person_id: string }>(
  'link.delete-all',
  ({ company }) => `with unlinked as (
    update member set single_sign_on = null, single_sign_on_subject = null
    where company_id = ${company} and single_sign_on is not null returning person_id, ended_at)
  select person_id from unlinked where ended_at is null`,
);

/** Emails of persons. */
export const findEmails = readStatement<{ persons: readonly string[] }, { email: string }>(
  'person.emails',
  ({ persons }) => `select email from person where unique_id = any(${persons}::uuid[]) order by email`,
  'all companies',
);
