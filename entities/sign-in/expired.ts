import { defineStatement } from '../statements/define-statement.ts';
import { SIGN_IN_RETENTION_DAYS, UNKNOWN_SIGN_IN_RETENTION_DAYS } from './sign-in.ts';
import { isValidSession } from './web-session-statements.ts';

/** Maximum number of rows of a table that one statement deletes, which keeps its locks short. */
export const EXPIRED_BATCH_SIZE = 1000;

/**
 * Deletes expired sessions, reset links and challenges, and old entries of the lists of sign-ins. Skips sessions and links that
 * another process is deleting. `deleted` is the largest number of one table.
 */
export const deleteExpiredSignIns = defineStatement<object, { deleted: number }>(
  'sign-in.delete-expired',
  `with sessions as (
    delete from web_session where unique_id in (
      select s.unique_id from web_session s where not (${isValidSession('s')})
      limit ${EXPIRED_BATCH_SIZE} for update skip locked) returning 1),
  links as (
    delete from reset_link where token_hash in (
      select token_hash from reset_link where expires_at <= now()
      limit ${EXPIRED_BATCH_SIZE} for update skip locked) returning 1),
  challenges as (
    delete from sign_in_challenge where hash in (
      select hash from sign_in_challenge where expires_at <= now() limit ${EXPIRED_BATCH_SIZE}) returning 1),
  entries as (
    delete from sign_in e using (
      select company_id, id from sign_in where at <= now() - interval '${SIGN_IN_RETENTION_DAYS} days'
      limit ${EXPIRED_BATCH_SIZE}) old
    where e.company_id = old.company_id and e.id = old.id returning 1),
  unknown_entries as (
    delete from unknown_sign_in where id in (
      select id from unknown_sign_in where at <= now() - interval '${UNKNOWN_SIGN_IN_RETENTION_DAYS} days'
      limit ${EXPIRED_BATCH_SIZE}) returning 1)
  select greatest((select count(*) from sessions), (select count(*) from links), (select count(*) from challenges),
    (select count(*) from entries), (select count(*) from unknown_entries))::int as deleted`,
  'all companies',
);
