import { bookkeepingWrite, defineStatement } from '../statements/define-statement.ts';

/** Maximum number of people in a page. */
const PAGE_SIZE = 100;

/** A page of the people of a company. */
export interface PeoplePage {
  /** A JSON array as text: `{member, person, recoveryCodes}` for each member who has a person. */
  people: string;
  /** uniqueId of the last member; null for an empty page. */
  last: string | null;
}

/**
 * Reads the persons of members, with what they sign in with. Sessions, links to reset a password and passkeys stay behind: they
 * belong to the host name of this cell.
 */
export const readPeoplePage = bookkeepingWrite<{ companyId: number; after: string | null }, PeoplePage>(
  'move.read-people',
  ({ companyId, after }) => `with page as (
    select m.unique_id, p as person,
      (select coalesce(json_agg(encode(c.code_hash, 'hex')), '[]') from recovery_code c where c.person_id = p.unique_id) as codes
    from member m join person p on p.unique_id = m.person_id
    where m.company_id = ${companyId} and (${after}::uuid is null or m.unique_id > ${after}::uuid)
    order by m.unique_id limit ${PAGE_SIZE})
  select coalesce(json_agg(json_build_object('member', unique_id, 'person', to_jsonb(person) - 'last_company_id',
      'recoveryCodes', codes) order by unique_id), '[]')::text as people,
    (array_agg(unique_id order by unique_id desc))[1]::text as last
  from page`,
  'all companies',
);

/** SQL of the persons of a page, as `given`. A person whose email is that of an unclaimed one arrives with that email. */
const given = (people: string) => `given as (
    select (jsonb_populate_record(null::person, e->'person' || jsonb_build_object(
      'email', coalesce(e->'person'->>'unclaimed_email', e->'person'->>'email'), 'unclaimed_email', null,
      'mail_attempts', 0, 'mail_next_attempt_at', null))).*, e->'recoveryCodes' as codes
    from jsonb_array_elements(${people}::jsonb) e)`;

/**
 * Inserts the persons whom this cell does not have. One whose email another person has stays unclaimed.
 */
export const receivePersons = defineStatement<{ people: string }, { uniqueId: string; isUnclaimed: boolean }>(
  'move.receive-persons',
  ({ people }) => `with ${given(people)},
  placed as (
    select g.*, exists (select from person o where o.email = g.email and o.unique_id <> g.unique_id) as is_unclaimed from given g)
  insert into person (unique_id, email, unclaimed_email, name, password, totp_secret, totp_confirmed_at, totp_last_step,
    mail_assigned, mail_mentioned, mail_commented, mail_summary, mail_refused_at, created_at, proven_at)
  select unique_id, case when is_unclaimed then unique_id || '@unclaimed.invalid' else email end,
    case when is_unclaimed then email end, name,
    case when not is_unclaimed then password end, case when not is_unclaimed then totp_secret end,
    case when not is_unclaimed then totp_confirmed_at end, totp_last_step,
    mail_assigned, mail_mentioned, mail_commented, mail_summary, mail_refused_at, created_at,
    case when not is_unclaimed then proven_at end from placed
  on conflict (unique_id) do nothing
  returning unique_id as "uniqueId", unclaimed_email is not null as "isUnclaimed"`,
  'all companies',
);

/** SQL that is true for a person who belongs to no other company of this cell, so that this move has inserted it. */
const isOnlyHere = (person: string, companyId: string) => `not exists (select from member o
      where o.person_id = ${person} and o.company_id <> ${companyId})`;

/** Updates what a person signs in with. A person who is also a member of another company of this cell keeps what is stored here. */
export const refreshPersons = defineStatement<{ people: string; companyId: number }, never>(
  'move.refresh-persons',
  ({ people, companyId }) => `with ${given(people)},
  refreshed as (
    update person p set name = g.name, email = case when p.unclaimed_email is null then g.email else p.email end,
      password = case when p.unclaimed_email is null then g.password end,
      totp_secret = case when p.unclaimed_email is null then g.totp_secret end,
      totp_confirmed_at = case when p.unclaimed_email is null then g.totp_confirmed_at end, totp_last_step = g.totp_last_step,
      mail_assigned = g.mail_assigned, mail_mentioned = g.mail_mentioned, mail_commented = g.mail_commented,
      mail_summary = g.mail_summary, mail_refused_at = g.mail_refused_at,
      proven_at = case when p.unclaimed_email is null then g.proven_at end
    from given g where p.unique_id = g.unique_id and ${isOnlyHere('p.unique_id', companyId)}
    returning p.unique_id, p.unclaimed_email is null as is_claimed),
  removed as (delete from recovery_code c using refreshed r where c.person_id = r.unique_id
    and not exists (select from given g where g.unique_id = r.unique_id and g.codes ? encode(c.code_hash, 'hex')))
  insert into recovery_code (person_id, code_hash)
  select r.unique_id, decode(code.hash, 'hex') from refreshed r join given g using (unique_id),
    jsonb_array_elements_text(g.codes) code (hash) where r.is_claimed
  on conflict do nothing`,
  'all companies',
);

/** Members as whom nobody can sign in before the person with their email has accepted an invitation. */
export const findUnclaimedMembers = bookkeepingWrite<
  { companyId: number },
  { member: string; email: string; role: 'admin' | 'editor' | 'auditor'; frameworks: number[] | null }
>(
  'move.unclaimed-members',
  ({ companyId }) => `select m.unique_id as member, p.unclaimed_email as email, m.role, m.frameworks
  from member m join person p on p.unique_id = m.person_id
  where m.company_id = ${companyId} and m.ended_at is null and p.unclaimed_email is not null order by 1`,
  'all companies',
);

/** Deletes those persons who belong to no company. */
export const deletePersonsWithoutCompany = defineStatement<{ persons: readonly string[] }, { deleted: number }>(
  'move.delete-persons',
  ({ persons }) => `with gone as (
    select p.unique_id from person p where p.unique_id = any(${persons}::uuid[])
      and not exists (select from member m where m.person_id = p.unique_id)),
  codes as (delete from recovery_code c using gone g where c.person_id = g.unique_id),
  deleted as (delete from person p using gone g where p.unique_id = g.unique_id returning 1)
  select count(*)::int as deleted from deleted`,
  'all companies',
);

/** Locks the persons of a company until the end of the transaction. Changes that they make meanwhile wait for the switch. */
export const lockPersonsOf = defineStatement<{ companyId: number }, never>(
  'move.lock-persons',
  ({ companyId }) => `select from person where unique_id = any(array(
    select person_id from member where company_id = ${companyId} and person_id is not null))
  order by unique_id for no key update`,
  'all companies',
);

/** Persons of the members of a company. */
export const listPersonsOf = bookkeepingWrite<{ companyId: number }, { person: string }>(
  'move.persons-of',
  ({ companyId }) => `select person_id as person from member where company_id = ${companyId} and person_id is not null`,
  'all companies',
);
