import { isWritable } from '../company/closing.ts';
import { bookkeepingWrite, readStatement } from '../statements/define-statement.ts';
import { LACKS_CLOSING, OPEN_LIST } from './task.ts';

/** Tasks that one statement fills in. Requests wait for it in the embedded database, and for the rows in PostgreSQL. */
const BATCH_SIZE = 100;

/** Companies for which jobs work, each with its last arrival from another cell; null without one. */
export const listCompaniesToFill = readStatement<object, { id: number; arrival: string | null }>(
  'task.list-companies-to-fill',
  `select c.id, m.move as arrival from company c left join company_move m on m.id = c.id and m.direction = 'in'
  where ${isWritable('c.id')} order by c.id`,
  'all companies',
);

/** SQL of the status that the event `e` of a task gave it; null without one. */
const STATUS_AFTER = `coalesce(e.changes->'status'->>'to', e.changes->>'status')`;

/**
 * Fills in when and by whom tasks were closed before version 0.19.0, from their last events by which the status became closed. It
 * changes nothing that events or versions have. It begins after an id, as rows that were filled in stay in the index for a while.
 * `last` is the id of the last one; null after the last task. Then `isDone` is false if others are filling in some, or the company is frozen.
 * Ids are converted before the events are looked up: with row-level security an index serves no comparison that converts them.
 */
export const fillClosings = bookkeepingWrite<{ afterId: string }, { last: string | null; isDone: boolean }>(
  'task.fill-closings',
  ({ company, afterId }) => `with batch as materialized (
    select t.unique_id, t.unique_id::text as resource_id, t.updated_at, t.updated_by_id from task t
    where t.company_id = ${company} and ${LACKS_CLOSING} and t.unique_id > ${afterId}::uuid and ${isWritable(company)}
    order by t.unique_id limit ${BATCH_SIZE} for update skip locked),
  closing as materialized (
    select b.unique_id, coalesce(closed.occurred_at, b.updated_at) as at, coalesce(closed.user_id, b.updated_by_id) as by
    from batch b left join lateral (
      select e.occurred_at, e.user_id from audit_event e
      where e.company_id = ${company} and e.resource_type = 'task' and e.resource_id = b.resource_id
        and ${STATUS_AFTER} not in (${OPEN_LIST}) and coalesce(e.changes->'status'->>'from', 'todo') in (${OPEN_LIST})
      order by e.id desc limit 1) closed on true),
  filled as (
    update task t set closed_at = closing.at, closed_by_id = closing.by from closing
    where t.company_id = ${company} and t.unique_id = closing.unique_id
    returning t.unique_id)
  select last, last is null and (
    select t.unique_id from task t where t.company_id = ${company} and ${LACKS_CLOSING} order by t.unique_id limit 1) is null as "isDone"
  from (select (select unique_id from filled order by unique_id desc limit 1) as last) one`,
);
