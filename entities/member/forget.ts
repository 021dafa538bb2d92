import { defineStatement } from '../statements/define-statement.ts';

/** Name of a member who was forgotten. Contract, section 26. */
export const FORMER_MEMBER = 'Former member';

interface Forgotten {
  /** uniqueId of the member. */
  member: string;
}

/** Deletes the records of the names and emails of a member. Returns the emails. */
export const deleteIdentities = defineStatement<Forgotten, { email: string }>(
  'identity.delete-of-member',
  ({ company, member }) =>
    `delete from identity where company_id = ${company} and member_id = ${member}::uuid returning email`,
);

/** Deletes the invitations of emails to the company. */
export const deleteInvitations = defineStatement<{ emails: readonly string[] }, never>(
  'invitation.delete-by-email',
  ({ company, emails }) => `delete from invitation where company_id = ${company} and email = any(${emails}::text[])`,
);

/** Removes the name, the person and the link to single sign-on of an ended member. No row for another. */
export const forgetMember = defineStatement<Forgotten, { unique_id: string }>(
  'member.forget',
  ({ company, member }) => `with renamed as (
    update company_user set name = '${FORMER_MEMBER}' where company_id = ${company}::int and unique_id = ${member}::uuid)
  update member set forgotten_at = now(), person_id = null, single_sign_on = null, single_sign_on_subject = null
  where company_id = ${company}::int and unique_id = ${member}::uuid and ended_at is not null and forgotten_at is null
  returning unique_id`,
);

/** Deletes what is stored about a member in the company beside its work: sign-ins, inbox, watches, answers and views of its own. */
export const deleteTraces = defineStatement<Forgotten & { emails: readonly string[] }, never>(
  'member.delete-traces',
  ({ company, member, emails }) => `with items as (
    delete from inbox_item where company_id = ${company}::int and member_id = ${member}::uuid),
  watches as (delete from watch where company_id = ${company}::int and member_id = ${member}::uuid),
  answers as (delete from import_answers where company_id = ${company}::int and member_id = ${member}::uuid),
  views as (delete from view where company_id = ${company}::int and member_id = ${member}::uuid and not shared),
  documents as (
    delete from search_document where company_id = ${company}::int and type = 'member' and object_id = ${member}::text),
  responses as (delete from idempotency_record where company_id = ${company}::int and api_key_id = ${member}::uuid)
  delete from sign_in
  where company_id = ${company}::int and (member_id = ${member}::uuid or email = any(${emails}::text[]))`,
);
