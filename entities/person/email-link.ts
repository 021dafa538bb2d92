import { defineEntity, p } from '@mikro-orm/core';
import { SHA256_BYTES } from '../api-key/raw-key.ts';
import { MAX_EMAIL_LENGTH } from '../member/role.ts';
import { crossCompanyOnly } from '../schema/row-level-security.ts';
import { defineStatement, readStatement } from '../statements/define-statement.ts';
import { personReference } from './person.ts';

/** Hours for which a link to a new email address works. Contract, section 31. */
export const EMAIL_LINK_HOURS = 24;

const emailLinkSchema = defineEntity({
  name: 'EmailLink',
  properties: {
    /** SHA-256 of the token in the link. */
    tokenHash: p.blob().primary(),
    person: personReference,
    /** The new address, in lower case. The link is mailed to it, so that whoever uses the link reads its mails. */
    email: p.string().length(MAX_EMAIL_LENGTH),
    /** True if an admin asked for the change: the link then works only for the person, so that no admin takes an account over. */
    byAdmin: p.boolean(),
    expiresAt: p.datetime(3),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  ...crossCompanyOnly,
  // A new link replaces the previous one.
  uniques: [{ name: 'email_link_person_unique', properties: ['person'] }],
  checks: [
    { name: 'email_link_token_sha256', expression: `octet_length(token_hash) = ${SHA256_BYTES}` },
    { name: 'email_link_email_lower_case', expression: `email::text = lower(email::text)` },
  ],
});

/** A link with which a person gets another email address. It is deleted when it is used. */
export class EmailLink extends emailLinkSchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
}
emailLinkSchema.setClass(EmailLink);

/** Stores the link of a person to a new address, and replaces the previous one. */
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
