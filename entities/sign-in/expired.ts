import { isUnfrozen } from '../company/closing.ts';
import { retentionStatement } from '../statements/define-statement.ts';
import { SIGN_IN_RETENTION_DAYS, UNKNOWN_SIGN_IN_RETENTION_DAYS } from './sign-in.ts';
import { isValidSession } from './web-session-statements.ts';

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
