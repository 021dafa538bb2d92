import { isUnfrozen } from '../company/closing.ts';
import { INVITATION_DAYS } from './invitation.ts';
import type { OpenIdentity } from './identity-digest.ts';
import type { Role } from './role.ts';
import { defineStatement, readStatement, retentionStatement } from '../statements/define-statement.ts';

/** Days for which an invitation that was used or revoked, or has run out, stays stored. Contract, section 26. */
export const INVITATION_RETENTION_DAYS = 30;

/** An invitation without its token. */
export interface InvitationRow {
  uniqueId: string;
  email: string;
  role: Role;
  frameworks: number[] | null;
  expiresAt: string;
  usedAt: string | null;
}

const COLUMNS = `unique_id as "uniqueId", email, role, frameworks, expires_at as "expiresAt", used_at as "usedAt"`;

/** Maximum number of invitations that a company makes in any 24 hours. Contract, section 31. */
export const MAX_INVITATIONS_A_DAY = 200;

/** Locks the invitations of the company until the end of the transaction. */
export const lockInvitations = defineStatement<object, never>(
  'invitation.lock',
  ({ company }) => `select pg_advisory_xact_lock(hashtextextended('invite ' || (${company}::int)::text, 0))`,
);

/** Number of invitations of the company in the last 24 hours. Those that have ended count too. */
export const countInvitations = readStatement<object, { count: number }>(
  'invitation.count',
  ({ company }) => `select count(*)::int as count from invitation
  where company_id = ${company} and created_at > now() - interval '24 hours'`,
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
    tokenHash,
    mailed,
  }) => `insert into invitation (company_id, unique_id, email, identity, salt, role, frameworks, token_hash, mailed, expires_at)
  values (${company}, ${uniqueId}, ${email}, ${identity}, ${salt}, ${role}, ${frameworks}::int[], ${tokenHash}, ${mailed}, now() + interval '${INVITATION_DAYS} days')
  returning expires_at`,
);

/** Invitations that can be accepted, the oldest first. */
export const listInvitations = readStatement<object, InvitationRow>(
  'invitation.list',
  ({ company }) => `select ${COLUMNS} from invitation
  where company_id = ${company} and revoked_at is null and used_at is null and expires_at > now() order by unique_id`,
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
