import { defineEntity, p } from '@mikro-orm/core';
import { bookkeepingWrite, pipelinedRead } from '../statements/define-statement.ts';
import type { Placeholders } from '../statements/define-statement.ts';
import { Member } from '../member/member.ts';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { Requirement } from '../requirement/requirement.ts';
import { Task } from '../task/task.ts';
import { Vendor } from '../vendor/vendor.ts';
import { frozenTrigger } from '../schema/triggers.ts';

/** Index with one row of a member for each watched resource. */
const indexOf = (parent: string) =>
  `create unique index watch_of_${parent} on watch (company_id, ${parent}_id, member_id) where ${parent}_id is not null`;

const watchSchema = defineEntity({
  name: 'Watch',
  properties: {
    ...companyKeyWithoutForeignKey,
    uniqueId: p.uuid().primary(),
    member: () => companyReference(Member, 'member_id').deleteRule('no action'),
    task: () => companyReference(Task, 'task_id').nullable().deleteRule('cascade'),
    vendor: () => companyReference(Vendor, 'vendor_id').nullable().deleteRule('cascade'),
    requirement: () => companyReference(Requirement, 'requirement_id').nullable().deleteRule('cascade'),
    watching: p.boolean(),
  },
  ...tenantIsolation(),
  indexes: [
    { name: 'watch_of_task', expression: indexOf('task') },
    { name: 'watch_of_vendor', expression: indexOf('vendor') },
    { name: 'watch_of_requirement', expression: indexOf('requirement') },
  ],
  checks: [{ name: 'watch_one_resource', expression: 'num_nonnulls(task_id, vendor_id, requirement_id) = 1' }],
  triggers: [frozenTrigger('watch')],
});

/** The choice of a member to watch a task, vendor or requirement, or not to. Without a row, what they did with it decides. */
export class Watch extends watchSchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
}
watchSchema.setClass(Watch);

/** What a member watches; the others are null. */
export interface Watched {
  taskUniqueId: string | null;
  vendor: string | null;
  requirement: string | null;
}

/** SQL of the ids in a list of an event: that of a new row, or the new one of a change. @param changes SQL of its changes */
export const listedIds = (changes: string, column: string) =>
  `jsonb_array_elements_text(case jsonb_typeof(${changes} -> '${column}')
      when 'array' then ${changes} -> '${column}' when 'object' then ${changes} #> '{${column},to}' else '[]' end)`;

/**
 * SQL of the users who watch tasks, vendors and requirements, as `target_id` and `user_id`, from the event `since_id` on: who created it, is
 * assigned to it, commented on it or was mentioned in a comment, unless they have set something else. Comments are read from their
 * events, so that a deleted one counts too. Each table is read once for all ids, because PostgreSQL may choose an index on the
 * company alone as long as it has no statistics, which the embedded database never has.
 * @param ids SQL of arrays
 */
export const watchers = (
  company: string,
  { tasks, vendors, requirements }: Readonly<Record<'tasks' | 'vendors' | 'requirements', string>>,
) => `
  select w.target_id, w.user_id, w.since_id from (
    select t.unique_id as target_id, one.id as user_id, 0::bigint as since_id
      from task t cross join lateral (values (t.created_by_id), (t.assignee_id)) one(id)
      where t.company_id = ${company} and t.unique_id = any(${tasks})
    union all select v.unique_id, v.created_by_id, 0 from vendor v where v.company_id = ${company} and v.unique_id = any(${vendors})
    union all select r.unique_id, r.created_by_id, 0 from requirement r
      where r.company_id = ${company} and r.unique_id = any(${requirements})
    union all select c.parent_id::uuid, one.id, c.id from audit_event c cross join lateral (
        select c.user_id as id where c.action = 'comment.create'
        union all select mentioned.id::uuid from ${listedIds('c.changes', 'mentions')} mentioned(id)) one
      where c.company_id = ${company} and c.parent_id = any((${tasks} || ${vendors} || ${requirements})::text[])
    union all select task_id, member_id, 0 from watch where company_id = ${company} and task_id = any(${tasks}) and watching
    union all select vendor_id, member_id, 0 from watch where company_id = ${company} and vendor_id = any(${vendors}) and watching
    union all select requirement_id, member_id, 0 from watch
      where company_id = ${company} and requirement_id = any(${requirements}) and watching) w
  left join (
    select task_id as target_id, member_id from watch where company_id = ${company} and task_id = any(${tasks}) and not watching
    union all select vendor_id, member_id from watch where company_id = ${company} and vendor_id = any(${vendors}) and not watching
    union all select requirement_id, member_id from watch
      where company_id = ${company} and requirement_id = any(${requirements}) and not watching) u
    on u.target_id = w.target_id and u.member_id = w.user_id
  where u.member_id is null`;

/** Returns if the member watches an object. */
export const findWatching = pipelinedRead<Watched, { watching: boolean }>(
  'watch.get',
  ({ company, user, taskUniqueId, vendor, requirement }) => `select exists (
    select from (${watchers(company, {
      tasks: `array[${taskUniqueId}::uuid]`,
      vendors: `array[${vendor}::uuid]`,
      requirements: `array[${requirement}::uuid]`,
    })}) w
    where w.user_id = ${user}::uuid) as watching`,
);

/** SQL that stores what the member sets for one kind of parent. @param id placeholder for its id */
const setOf = (
  table: 'task' | 'vendor' | 'requirement',
  id: string,
  { company, user, uniqueId, watching }: Placeholders<NewWatch>,
) =>
  `insert into watch (company_id, unique_id, member_id, ${table}_id, watching)
    select ${company}::int, ${uniqueId}::uuid, ${user}::uuid, p.unique_id, ${watching}::boolean
    from (select unique_id from ${table} where company_id = ${company} and unique_id = ${id}::uuid for key share) p
    on conflict (company_id, ${table}_id, member_id) where ${table}_id is not null do update set watching = excluded.watching
    returning watching`;

interface NewWatch extends Watched {
  uniqueId: string;
  watching: boolean;
}

/** Sets if the member watches an object. No row if it was deleted in the meantime. */
export const setWatching = bookkeepingWrite<NewWatch, { watching: boolean }>(
  'watch.set',
  (given) => `with task_watch as (${setOf('task', given.taskUniqueId, given)}),
  vendor_watch as (${setOf('vendor', given.vendor, given)}),
  requirement_watch as (${setOf('requirement', given.requirement, given)})
  select watching from task_watch union all select watching from vendor_watch union all select watching from requirement_watch`,
);
