import { lastSeal } from '../audit/seal-reading.ts';
import { bookkeepingWrite, readStatement } from '../statements/define-statement.ts';
import { CHECKPOINT_TYPE } from './delivery.ts';
import { IS_ACTIVE, JOIN_KEY } from './endpoint.ts';

/**
 * Condition for endpoints that are due a checkpoint: the last one, or the creation, was in an earlier hour, and something has
 * happened since.
 * @param sequence SQL of the number of the last seal
 */
const isDue = (now: string, sequence: string) => `${IS_ACTIVE} and '${CHECKPOINT_TYPE}' = any(w.events)
  and date_trunc('hour', coalesce(w.checkpoint_at, w.created_at)) < date_trunc('hour', ${now}::timestamptz)
  and coalesce(w.checkpoint_sequence, 0) < ${sequence}`;

/** Companies with endpoints that are due a checkpoint. */
export const findCheckpointCompanies = readStatement<{ now: string }, { id: number }>(
  'webhook.checkpoint-companies',
  ({ now }) =>
    `select distinct w.company_id as id from webhook w ${JOIN_KEY} where ${isDue(now, lastSeal('w.company_id'))}`,
  'all companies',
);

/**
 * Adds a delivery of a checkpoint for each endpoint that is due one, and records it in the endpoint. Skips endpoints that another
 * process records, so that none gets two.
 */
export const insertCheckpoints = bookkeepingWrite<
  { now: string; sequence: number; messageId: string; checkpoint: object },
  { webhook: string }
>(
  'webhook.insert-checkpoints',
  ({ company, now, sequence, messageId, checkpoint }) => `with due as (
    select w.unique_id from webhook w ${JOIN_KEY}
    where w.company_id = ${company} and ${isDue(now, `${sequence}::bigint`)} for no key update of w skip locked),
  recorded as (
    update webhook w set checkpoint_sequence = ${sequence}, checkpoint_at = ${now}
    from due where w.company_id = ${company} and w.unique_id = due.unique_id returning w.unique_id)
  insert into webhook_delivery (company_id, webhook_id, message_id, type, test_event, next_attempt_at)
  select ${company}, unique_id, ${messageId}, '${CHECKPOINT_TYPE}', ${checkpoint}::jsonb, now() from recorded
  returning webhook_id as webhook`,
);
