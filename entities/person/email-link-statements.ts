import { defineStatement, readStatement } from '../statements/define-statement.ts';
import { EMAIL_LINK_HOURS } from './email-link.ts';

/** Stores the link of a person to a new address, and replaces the one before it. */
export const replaceEmailLink = defineStatement<
  { person: string; email: string; tokenHash: Buffer; byAdmin: boolean },
  { expires_at: string }
>(
  'email-link.replace',
  ({
    person,
    email,
    tokenHash,
    byAdmin,
  }) => `insert into email_link (token_hash, person_id, email, by_admin, expires_at)
  values (${tokenHash}, ${person}, ${email}, ${byAdmin}, now() + interval '${EMAIL_LINK_HOURS} hours')
  on conflict (person_id) do update set token_hash = excluded.token_hash, email = excluded.email,
    by_admin = excluded.by_admin, expires_at = excluded.expires_at, created_at = excluded.created_at
  returning expires_at`,
  'all companies',
);

export const findEmailLink = readStatement<{ tokenHash: Buffer }, { person_id: string; by_admin: boolean }>(
  'email-link.by-token',
  ({ tokenHash }) =>
    `select person_id, by_admin from email_link where token_hash = ${tokenHash} and expires_at > now()`,
  'all companies',
);

/** Uses a link. Of concurrent statements, one returns a row. */
export const deleteEmailLink = defineStatement<{ tokenHash: Buffer }, { person_id: string; email: string }>(
  'email-link.use',
  ({ tokenHash }) =>
    `delete from email_link where token_hash = ${tokenHash} and expires_at > now() returning person_id, email`,
  'all companies',
);
