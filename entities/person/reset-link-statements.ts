import { RESET_LINK_MINUTES } from './reset-link.ts';
import { defineStatement } from '../statements/define-statement.ts';

/**
 * Stores the reset link of a person and replaces the one before it.
 * @param withOtherCompanies false returns no row if the person is an active member of another company
 */
export const replaceResetLink = defineStatement<
  { person: string; tokenHash: Buffer; withOtherCompanies: boolean },
  { expires_at: string }
>(
  'reset-link.replace',
  ({
    company,
    person,
    tokenHash,
    withOtherCompanies,
  }) => `insert into reset_link (token_hash, person_id, expires_at, created_at)
  select ${tokenHash}, ${person}::uuid, now() + interval '${RESET_LINK_MINUTES} minutes', now()
  where ${withOtherCompanies}::boolean or not exists (select from member m
    where m.person_id = ${person}::uuid and m.company_id <> ${company}::int and m.ended_at is null)
  on conflict (person_id) do update
    set token_hash = excluded.token_hash, expires_at = excluded.expires_at, created_at = excluded.created_at
  returning expires_at`,
  'all companies',
);
