import type { Role } from '../member/role.ts';
import { emailOf } from '../person/person.ts';
import { bookkeepingWrite, defineStatement, readStatement } from '../statements/define-statement.ts';

/** An account at an identity provider. */
interface ProviderAccount {
  issuer: string;
  subject: string;
}

/** Person of the member of a company who is linked to an account. No row for an unclaimed one, as whom nobody signs in. */
export const findLinkedPerson = readStatement<ProviderAccount & { forCompany: number }, { person_id: string }>(
  'link.person',
  ({ forCompany, issuer, subject }) => `select m.person_id from member m
    join person p on p.unique_id = m.person_id and p.unclaimed_email is null
  where m.company_id = ${forCompany}::int and m.single_sign_on = ${issuer} and m.single_sign_on_subject = ${subject}`,
  'all companies',
);

interface LinkedMemberRow {
  unique_id: string;
  role: Role;
  frameworks: number[] | null;
  ends_at: string | null;
  ended_at: string | null;
  single_sign_on: string | null;
  single_sign_on_subject: string | null;
}

/** Member of the company for a person, also an ended one, with the link. */
export const findMemberOfPerson = readStatement<{ person: string }, LinkedMemberRow>(
  'member.by-person',
  ({
    company,
    person,
  }) => `select unique_id, role, frameworks, ends_at, ended_at, single_sign_on, single_sign_on_subject
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
export const findEmails = readStatement<{ persons: readonly string[] }, { person: string; email: string }>(
  'person.emails',
  ({ persons }) => `select unique_id as person, ${emailOf('p')} as email from person p
  where unique_id = any(${persons}::uuid[]) order by 1`,
  'all companies',
);

/** Members whose account of single sign-on is that of another person in another company. */
export const findTakenIdentities = bookkeepingWrite<
  { companyId: number },
  { member: string; issuer: string; subject: string }
>(
  'member.taken-identities',
  ({
    companyId,
  }) => `select m.unique_id as member, m.single_sign_on as issuer, m.single_sign_on_subject as subject from member m
  where m.company_id = ${companyId} and m.single_sign_on is not null and exists (select from member o
    where o.company_id <> m.company_id and o.single_sign_on = m.single_sign_on
      and o.single_sign_on_subject = m.single_sign_on_subject and o.person_id is distinct from m.person_id)
  order by 1`,
  'all companies',
);
