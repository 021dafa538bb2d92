import { defineStatement, pipelinedRead } from '../statements/define-statement.ts';
import type { Placeholders } from '../statements/define-statement.ts';

/** The task or vendor that a member watches; the other one is null. */
export interface Watched {
  taskUniqueId: string | null;
  vendor: string | null;
}

/** SQL of the ids in a list of an event: that of a new row, or the new one of a change. @param changes SQL of its changes */
export const listedIds = (changes: string, column: string) =>
  `jsonb_array_elements_text(case jsonb_typeof(${changes} -> '${column}')
      when 'array' then ${changes} -> '${column}' when 'object' then ${changes} #> '{${column},to}' else '[]' end)`;

/**
 * SQL of the ids of users who watch a task or vendor: who created it, is assigned to it, commented on it or was mentioned in a
 * comment, unless they have set something else. Comments are read from their events, so that a deleted one counts too.
 * @param task SQL of the id of a task; null for a vendor
 * @param untilId SQL of the id of the last event that counts
 */
export const watchers = (company: string, { task, vendor }: { task: string; vendor: string }, untilId: string) => `(
    (select one.id from task t cross join lateral (values (t.created_by_id), (t.assignee_id)) one(id)
        where t.company_id = ${company} and t.unique_id = ${task}
      union select v.created_by_id from vendor v where v.company_id = ${company} and v.unique_id = ${vendor}
      union select one.id from audit_event c cross join lateral (
          select c.user_id as id where c.action = 'comment.create'
          union all select mentioned.id::uuid from ${listedIds('c.changes', 'mentions')} mentioned(id)) one
        where c.company_id = ${company} and c.parent_id = coalesce(${task}, ${vendor})::text and c.id <= ${untilId}
          and c.action in ('comment.create', 'comment.update')
      union select member_id from watch where company_id = ${company} and task_id = ${task} and watching
      union select member_id from watch where company_id = ${company} and vendor_id = ${vendor} and watching)
    except select member_id from watch where company_id = ${company} and task_id = ${task} and not watching
    except select member_id from watch where company_id = ${company} and vendor_id = ${vendor} and not watching)`;

/** Returns if the member watches a task or vendor. */
export const findWatching = pipelinedRead<Watched, { watching: boolean }>(
  'watch.get',
  ({ company, user, taskUniqueId, vendor }) => `select exists (
    select from ${watchers(
      company,
      { task: `${taskUniqueId}::uuid`, vendor: `${vendor}::uuid` },
      '9223372036854775807',
    )} watcher where watcher.id = ${user}::uuid) as watching`,
);

/** SQL that stores what the member sets for one kind of parent. @param id placeholder for its id */
const setOf = (table: 'task' | 'vendor', id: string, { company, user, uniqueId, watching }: Placeholders<NewWatch>) =>
  `insert into watch (company_id, unique_id, member_id, ${table}_id, watching)
    select ${company}::int, ${uniqueId}::uuid, ${user}::uuid, p.unique_id, ${watching}::boolean
    from (select unique_id from ${table} where company_id = ${company} and unique_id = ${id}::uuid for key share) p
    on conflict (company_id, ${table}_id, member_id) where ${table}_id is not null do update set watching = excluded.watching
    returning watching`;

interface NewWatch extends Watched {
  uniqueId: string;
  watching: boolean;
}

/** Sets if the member watches a task or vendor. No row if it was deleted meanwhile. */
export const setWatching = defineStatement<NewWatch, { watching: boolean }>(
  'watch.set',
  (given) => `with task_watch as (${setOf('task', given.taskUniqueId, given)}),
  vendor_watch as (${setOf('vendor', given.vendor, given)})
  select watching from task_watch union all select watching from vendor_watch`,
);
