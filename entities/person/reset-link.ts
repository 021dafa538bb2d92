import { defineEntity, p } from '@mikro-orm/core';
import { SHA256_BYTES } from '../api-key/raw-key.ts';
import { crossCompanyOnly } from '../schema/row-level-security.ts';
import { defineStatement, readStatement } from '../statements/define-statement.ts';
import { personReference } from './person.ts';

/** Minutes for which a reset link works. Contract, section 16. */
export const RESET_LINK_MINUTES = 60;

const resetLinkSchema = defineEntity({
  name: 'ResetLink',
  properties: {
    /** SHA-256 of the token in the link. */
    tokenHash: p.blob().primary(),
    person: personReference,
    /** True if the link was mailed and shown to nobody, so that its use proves the address. */
    mailed: p.boolean().default(false),
    expiresAt: p.datetime(3),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  ...crossCompanyOnly,
  // A new link replaces the previous one.
  uniques: [{ name: 'reset_link_person_unique', properties: ['person'] }],
  checks: [{ name: 'reset_link_token_sha256', expression: `octet_length(token_hash) = ${SHA256_BYTES}` }],
});

/** A link with which a person sets a new password. It is deleted when it is used. */
export class ResetLink extends resetLinkSchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
}
resetLinkSchema.setClass(ResetLink);

/**
 * Stores the reset link of a person and replaces the previous one.
 * @param withOtherCompanies false returns no row if the person is an active member of another company
 */
export const replaceResetLink = defineStatement<
  { person: string; tokenHash: Buffer; mailed: boolean; withOtherCompanies: boolean },
  { expires_at: string }
>(
  'reset-link.replace',
  ({
    company,
    person,
    tokenHash,
    mailed,
    withOtherCompanies,
  }) => `insert into reset_link (token_hash, person_id, mailed, expires_at, created_at)
  select ${tokenHash}, ${person}::uuid, ${mailed}::boolean, now() + interval '${RESET_LINK_MINUTES} minutes', now()
  where ${withOtherCompanies}::boolean or not exists (select from member m
    where m.person_id = ${person}::uuid and m.company_id <> ${company}::int and m.ended_at is null)
  on conflict (person_id) do update
    set token_hash = excluded.token_hash, mailed = excluded.mailed, expires_at = excluded.expires_at, created_at = excluded.created_at
  returning expires_at`,
  'all companies',
);

/** Maximum number of mails with a reset link that one person gets in an hour, whoever asks for them. Contract, section 31. */
export const MAX_RESET_MAILS = 3;

/** Number of mails with a reset link to a person in the last hour. */
export const countResetMails = readStatement<{ person: string }, { count: number }>(
  'reset-link.count-mails',
  ({ person }) => `select count(*)::int as count from queued_mail
  where person_id = ${person} and kind = 'reset' and created_at > now() - interval '1 hour'`,
  'all companies',
);
