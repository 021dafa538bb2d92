import { defineStatement } from '../statements/define-statement.ts';

/** Tables with rows that only a person has. */
const TABLES_OF_PERSON = [
  'passkey',
  'recovery_code',
  'reset_link',
  'email_link',
  'queued_mail',
  'sign_in_challenge',
  'web_session',
];

/**
 * Deletes a person who belongs to no company, with the credentials and the sessions, and attempts to sign in and mails with the
 * email that name nobody. Call it in a transaction that has locked the person. Returns a row for a deleted person.
 */
export const deletePerson = defineStatement<{ person: string }, { unique_id: string }>(
  'person.delete',
  ({ person }) => `with gone as materialized (
    select unique_id, email from person p
    where unique_id = ${person}::uuid and not exists (select from member m where m.person_id = p.unique_id)),
  ${TABLES_OF_PERSON.map(
    (table) => `deleted_${table} as (
    delete from ${table} where person_id in (select unique_id from gone))`,
  ).join(',\n  ')},
  attempts as (delete from unknown_sign_in where email in (select email from gone)),
  mails as (delete from queued_mail where person_id is null and email in (select email from gone))
  delete from person where unique_id in (select unique_id from gone) returning unique_id`,
  'all companies',
);

/** Forgets that a person of other companies used the company last. */
export const clearLastCompany = defineStatement<{ person: string }, never>(
  'person.clear-last-company',
  ({ company, person }) =>
    `update person set last_company_id = null where unique_id = ${person}::uuid and last_company_id = ${company}::int`,
  'all companies',
);

/**
 * Separates an ended member from a person who deletes the account. The company keeps the name and the email in its own record.
 * No row for an active member.
 */
export const separateMember = defineStatement<{ member: string; person: string }, { unique_id: string }>(
  'member.separate',
  ({ company, member, person }) => `update member
  set person_id = null, single_sign_on = null, single_sign_on_subject = null
  where company_id = ${company} and unique_id = ${member} and person_id = ${person} and ended_at is not null
  returning unique_id`,
);
