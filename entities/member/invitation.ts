import { defineEntity, p } from '@mikro-orm/core';
import { SHA256_BYTES } from '../api-key/raw-key.ts';
import { auditedResource } from '../schema/audited-resource.ts';
import { companyKey, tenantIsolation } from '../schema/tenancy.ts';
import { auditTrigger, defineTrigger, forbidTrigger } from '../schema/triggers.ts';
import { isUnfrozen } from '../company/closing.ts';
import { defineStatement, readStatement, retentionStatement } from '../statements/define-statement.ts';
import { IDENTITY_LENGTH, SALT_LENGTH } from './identity-digest.ts';
import type { OpenIdentity } from './identity-digest.ts';
import { MAX_EMAIL_LENGTH, ROLES } from './role.ts';
import type { Role } from './role.ts';

/** Days for which an invitation can be accepted. Contract, section 16. */
export const INVITATION_DAYS = 7;

const properties = {
  uniqueId: p.uuid().primary(),
  /** In lower case. */
  email: p.string().length(MAX_EMAIL_LENGTH),
  /** Digest of an empty name and the email, and its salt. Null for an invitation of an earlier version. */
  identity: p.string().length(IDENTITY_LENGTH).nullable(),
  salt: p.string().length(SALT_LENGTH).hidden().nullable(),
  role: p.enum(ROLES),
  /** Null for all frameworks of the company. */
  frameworks: p.integer().array().columnType('int[]').nullable(),
  /** Last day of the membership and of the invitation, in the time zone of the company; null without one. */
  endsAt: p.date().nullable(),
  tokenHash: p.blob().hidden(),
  /** True if the link was mailed and shown to nobody, so that its use proves the address. */
  mailed: p.boolean().default(false),
  expiresAt: p.datetime(3),
  revokedAt: p.datetime(3).nullable(),
  usedAt: p.datetime(3).nullable(),
  createdAt: p.datetime(3).defaultRaw('now()'),
};

const invitationResource = auditedResource('invitation', properties, {
  name: 'email',
  unaudited: ['email', 'salt', 'tokenHash', 'mailed', 'usedAt'],
  verbs: { revokedAt: 'revoke' },
  operations: ['create'],
});

const invitationSchema = defineEntity({
  name: 'Invitation',
  properties: { ...companyKey, ...properties },
  ...tenantIsolation('select', 'delete'),
  uniques: [
    // Without company_id: the token is looked up before the company is known.
    { name: 'invitation_token_unique', properties: ['tokenHash'] },
  ],
  indexes: [
    {
      name: 'invitation_open_unique',
      expression: `create unique index "invitation_open_unique" on "invitation" ("company_id", "email") where revoked_at is null and used_at is null`,
    },
  ],
  checks: [
    { name: 'invitation_email_lower_case', expression: `email::text = lower(email::text)` },
    { name: 'invitation_token_sha256', expression: `octet_length(token_hash) = ${SHA256_BYTES}` },
    { name: 'invitation_identity', expression: '(identity IS NULL) = (salt IS NULL)' },
    { name: 'invitation_frameworks', expression: 'cardinality(frameworks) > 0' },
    { name: 'invitation_admin_has_all_frameworks', expression: `role <> 'admin'::text OR frameworks IS NULL` },
  ],
  triggers: [
    auditTrigger(invitationResource),
    forbidTrigger('invitation', ['update of email', 'truncate']),
    defineTrigger('invitation_frameworks_check', 'after', ['insert'], 'invitation', 'row', 'check_frameworks()'),
  ],
});

/** An invitation of an email address to a company. The token in its link works once. */
export class Invitation extends invitationSchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
  static readonly resource = invitationResource;
}
invitationSchema.setClass(Invitation);

/** Days for which an invitation that was used or revoked, or has run out, stays stored. Contract, section 26. */
export const INVITATION_RETENTION_DAYS = 30;

/** An invitation without its token. */
export interface InvitationRow {
  uniqueId: string;
  email: string;
  role: Role;
  frameworks: number[] | null;
  endsAt: string | null;
  expiresAt: string;
  usedAt: string | null;
  /** Time of the mail with the link; null for a link that was shown. */
  mailedAt: string | null;
}

/** Condition for an invitation that can be accepted. */
const IS_OPEN = 'revoked_at is null and used_at is null and expires_at > now()';

const COLUMNS = `unique_id as "uniqueId", email, role, frameworks, ends_at as "endsAt", expires_at as "expiresAt", used_at as "usedAt",
  case when mailed then created_at end as "mailedAt"`;

/** Maximum number of invitations that a company makes in any 24 hours. Contract, section 31. */
export const MAX_INVITATIONS_A_DAY = 200;

/** Maximum number of invitations of a company that can be accepted. Contract, section 32. */
export const MAX_OPEN_INVITATIONS = 500;

/** Locks the invitations of the company until the end of the transaction. */
export const lockInvitations = defineStatement<object, never>(
  'invitation.lock',
  ({ company }) => `select pg_advisory_xact_lock(hashtextextended('invite ' || (${company}::int)::text, 0))`,
);

/** Number of invitations of the company in the last 24 hours, those that have ended included, and of those that can be accepted. */
export const countInvitations = readStatement<object, { lastDay: number; open: number }>(
  'invitation.count',
  ({ company }) => `select count(*) filter (where created_at > now() - interval '24 hours')::int as "lastDay",
    count(*) filter (where ${IS_OPEN})::int as open
  from invitation where company_id = ${company}`,
);

/** Revokes the open invitation of an email, also one that has expired. */
export const revokeInvitationsOf = defineStatement<{ email: string }, never>(
  'invitation.revoke-by-email',
  ({ company, email }) => `update invitation set revoked_at = now()
  where company_id = ${company} and email = ${email} and revoked_at is null and used_at is null`,
);

export const insertInvitation = defineStatement<
  Pick<OpenIdentity, 'email' | 'identity' | 'salt'> & {
    uniqueId: string;
    role: Role;
    frameworks: readonly number[] | null;
    endsAt: string | null;
    tokenHash: Buffer;
    mailed: boolean;
  },
  { expires_at: string }
>(
  'invitation.insert',
  ({
    company,
    uniqueId,
    email,
    identity,
    salt,
    role,
    frameworks,
    endsAt,
    tokenHash,
    mailed,
  }) => `insert into invitation (company_id, unique_id, email, identity, salt, role, frameworks, ends_at, token_hash, mailed, expires_at)
  values (${company}, ${uniqueId}, ${email}, ${identity}, ${salt}, ${role}, ${frameworks}::int[], ${endsAt}::date, ${tokenHash}, ${mailed}, now() + interval '${INVITATION_DAYS} days')
  returning expires_at`,
);

/** Invitations that can be accepted, the oldest first. */
export const listInvitations = readStatement<object, InvitationRow>(
  'invitation.list',
  ({ company }) => `select ${COLUMNS} from invitation
  where company_id = ${company} and ${IS_OPEN} order by unique_id`,
);

/** Revokes an invitation. No row if it was accepted or revoked, or does not exist. */
export const revokeInvitation = defineStatement<{ uniqueId: string }, InvitationRow>(
  'invitation.revoke',
  ({ company, uniqueId }) => `update invitation set revoked_at = now()
  where company_id = ${company} and unique_id = ${uniqueId} and revoked_at is null and used_at is null
  returning ${COLUMNS}`,
);

export const findInvitation = readStatement<{ uniqueId: string }, InvitationRow>(
  'invitation.get',
  ({ company, uniqueId }) =>
    `select ${COLUMNS} from invitation where company_id = ${company} and unique_id = ${uniqueId}`,
);

/** Deletes invitations that ended long ago: the first of use, revocation and expiry counts. */
export const deleteOldInvitations = retentionStatement('invitation.delete-old', (limit, now) => [
  `delete from invitation i using (
    select company_id, unique_id from invitation
    where least(used_at, revoked_at, expires_at) <= ${now}::timestamptz - interval '${INVITATION_RETENTION_DAYS} days'
      and ${isUnfrozen('company_id')}
    limit ${limit}) old
  where i.company_id = old.company_id and i.unique_id = old.unique_id`,
]);
