import { isServedOrMoved, isUnfrozen } from '../company/closing.ts';
import type { NameAndEmail } from '../member/identity-digest.ts';
import type { Role } from '../member/role.ts';
import { defineStatement, readStatement, retentionStatement } from '../statements/define-statement.ts';
import { SIGN_IN_RETENTION_DAYS, UNKNOWN_SIGN_IN_RETENTION_DAYS } from './sign-in.ts';
import { isValidSession } from './web-session-statements.ts';

/**
 * Locks a person until the end of the transaction. A reset of the password waits for it, and then ends the session that the
 * transaction inserted. No row if the person was deleted.
 */
export const lockPerson = defineStatement<
  { person: string },
  NameAndEmail & { password: string | null; isProven: boolean }
>(
  'person.lock',
  ({ person }) => `select name, email, password, proven_at is not null as "isProven"
  from person where unique_id = ${person} for update`,
  'all companies',
);

interface InvitationRow {
  company: number;
  companyName: string;
  invitation: string;
  email: string;
  role: Role;
  frameworks: number[] | null;
  /** True if the link was mailed and shown to nobody, so that its use proves the address. */
  mailed: boolean;
  /** uniqueId of the member who has this email, also of an ended one; null without one. */
  member: string | null;
  /** uniqueId of the person of that member if nobody can sign in as it; else null. */
  unclaimed: string | null;
  /** URL of the cell to which the company was moved; null while it is in this one. */
  movedTo: string | null;
  /** Last day of the membership and the invitation in the time zone of the company; null without one. */
  endsAt: string | null;
  timeZone: string;
}

/** Condition of an invitation that can be accepted. */
const IS_OPEN = 'used_at is null and revoked_at is null and expires_at > now()';

/** Finds an invitation that can be accepted, in all open companies, also in one that was moved away. */
export const findInvitation = readStatement<{ tokenHash: Buffer }, InvitationRow>(
  'invitation.by-token',
  ({
    tokenHash,
  }) => `select i.company_id as company, c.name as "companyName", i.unique_id as invitation, i.email, i.role,
    i.frameworks, i.mailed, m.member, m.unclaimed, c.moved_to as "movedTo", i.ends_at as "endsAt", c.time_zone as "timeZone"
  from invitation i join company c on c.id = i.company_id left join lateral (
    select m.unique_id as member, case when p.unclaimed_email is not null then p.unique_id end as unclaimed
    from member m join person p on p.unique_id = m.person_id
    where m.company_id = i.company_id and (p.email = i.email or p.unclaimed_email = i.email)
    order by p.unclaimed_email nulls first limit 1) m on true
  where token_hash = ${tokenHash} and ${IS_OPEN} and ${isServedOrMoved('c')}`,
  'all companies',
);

/** Marks an invitation as used. Of concurrent statements, one returns a row. */
export const markInvitationUsed = defineStatement<{ invitation: string }, { unique_id: string }>(
  'invitation.use',
  ({ company, invitation }) => `update invitation set used_at = now()
  where company_id = ${company} and unique_id = ${invitation} and ${IS_OPEN} returning unique_id`,
);

/** Locks the invitation of an email to the company that can be accepted, until the end of the transaction. */
export const lockInvitationOfEmail = defineStatement<
  { email: string },
  Pick<InvitationRow, 'invitation' | 'role' | 'frameworks' | 'endsAt' | 'timeZone'>
>(
  'invitation.lock-by-email',
  ({
    company,
    email,
  }) => `select i.unique_id as invitation, i.role, i.frameworks, i.ends_at as "endsAt", c.time_zone as "timeZone"
  from invitation i join company c on c.id = i.company_id
  where i.company_id = ${company} and i.email = ${email} and ${IS_OPEN} for update of i`,
);

export const findResetLink = readStatement<{ tokenHash: Buffer }, { person_id: string }>(
  'reset-link.by-token',
  ({ tokenHash }) => `select person_id from reset_link where token_hash = ${tokenHash} and expires_at > now()`,
  'all companies',
);

/** Uses a reset link. Of concurrent statements, one returns a row. */
export const deleteResetLink = defineStatement<{ tokenHash: Buffer }, { person_id: string; mailed: boolean }>(
  'reset-link.use',
  ({ tokenHash }) =>
    `delete from reset_link where token_hash = ${tokenHash} and expires_at > now() returning person_id, mailed`,
  'all companies',
);

/**
 * Deletes expired sessions, reset links and challenges, and old entries of the lists of sign-ins. Skips sessions and links that
 * another process is deleting.
 */
export const deleteExpiredSignIns = retentionStatement('sign-in.delete-expired', (limit) => [
  `delete from web_session where unique_id in (
    select s.unique_id from web_session s where not (${isValidSession('s')}) limit ${limit} for update skip locked)`,
  `delete from reset_link where token_hash in (
    select token_hash from reset_link where expires_at <= now() limit ${limit} for update skip locked)`,
  `delete from sign_in_challenge where hash in (
    select hash from sign_in_challenge where expires_at <= now() limit ${limit})`,
  `delete from sign_in e using (
    select company_id, id from sign_in
    where at <= now() - interval '${SIGN_IN_RETENTION_DAYS} days' and ${isUnfrozen('company_id')} limit ${limit}) old
  where e.company_id = old.company_id and e.id = old.id`,
  `delete from unknown_sign_in where id in (
    select id from unknown_sign_in where at <= now() - interval '${UNKNOWN_SIGN_IN_RETENTION_DAYS} days' limit ${limit})`,
]);
