import { defineEntity, p } from '@mikro-orm/core';
import { isUnfrozen, isWritable } from '../company/closing.ts';
import { defineStatement, readStatement, retentionStatement } from '../statements/define-statement.ts';
import { Framework } from '../reference-data/reference-data.ts';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { TASK_STATUSES } from './task.ts';
import type { TaskStatus } from './task.ts';

const count = () => p.integer().default(0);

/** A column for the number of tasks of each status. */
const statusCounts = () =>
  ({
    todo: count(),
    in_progress: count(),
    in_review: count(),
    done: count(),
    not_applicable: count(),
    canceled: count(),
  }) satisfies Record<TaskStatus, unknown>;

/** SQL for the columns of all statuses, such as `sum(c.todo) as todo, …`. */
const eachStatus = (sqlOf: (status: TaskStatus) => string): string => TASK_STATUSES.map(sqlOf).join(', ');

const taskCountSchema = defineEntity({
  name: 'TaskCount',
  properties: {
    ...companyKeyWithoutForeignKey,
    framework: () => companyReference(Framework, 'framework_id').primary().deleteRule('no action'),
    /**
     * Database sessions are spread over slots, so that concurrent writes seldom wait for each other. Creates and deletes use the
     * slots below 16, changes of the status the others.
     */
    slot: p.smallint().primary(),
    /** The sum over the slots is the number of tasks. A single slot may be negative. */
    tasks: p.integer(),
    ...statusCounts(),
  },
  ...tenantIsolation('select'),
});

/**
 * Number of tasks of a framework, in all and by status. Triggers on `task` maintain it, so that counting takes the same time
 * for any number.
 */
export class TaskCount extends taskCountSchema.class {
  static readonly writePrivileges = ['insert', 'update'] as const;
}
taskCountSchema.setClass(TaskCount);

/** Days of the history of counts, today included. */
export const TASK_HISTORY_DAYS = 90;
/** Days after which a row is deleted, except the newest one before them. */
const TASK_HISTORY_RETENTION_DAYS = 100;

const taskStatusDaySchema = defineEntity({
  name: 'TaskStatusDay',
  properties: {
    ...companyKeyWithoutForeignKey,
    framework: () => companyReference(Framework, 'framework_id').primary().deleteRule('no action'),
    /** Day in UTC. */
    day: p.date().primary(),
    ...statusCounts(),
  },
  ...tenantIsolation('select', 'insert', 'update', 'delete'),
});

/** Number of tasks of a framework by status at the end of a day. A day without a row has the numbers of the day before. */
export class TaskStatusDay extends taskStatusDaySchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
}
taskStatusDaySchema.setClass(TaskStatusDay);

const TODAY = `(now() at time zone 'utc')::date`;
const columns = eachStatus((status) => status);

/** Stores the current numbers of tasks for today's date, for every framework of all open companies in which they changed. */
export const recordTaskHistory = defineStatement<object, { recorded: number }>(
  'overview.record-task-history',
  `with live as materialized (
    select c.company_id, c.framework_id, ${eachStatus((status) => `sum(c.${status})::int as ${status}`)}
    from task_count c where ${isWritable('c.company_id')} group by c.company_id, c.framework_id),
  changed as (
    select live.* from live left join lateral (
      select ${columns} from task_status_day d
      where d.company_id = live.company_id and d.framework_id = live.framework_id order by d.day desc limit 1) last on true
    where last.todo is null or (${eachStatus((status) => `live.${status}`)}) is distinct from (${eachStatus((status) => `last.${status}`)})),
  recorded as (
    insert into task_status_day (company_id, framework_id, day, ${columns})
    select company_id, framework_id, ${TODAY}, ${columns} from changed order by company_id, framework_id
    on conflict (company_id, framework_id, day) do update set ${eachStatus((status) => `${status} = excluded.${status}`)}
    returning 1)
  select count(*)::int as recorded from recorded`,
  'all companies',
);

/** Deletes old rows. The newest old row of a framework stays, because it has the numbers of the days after it. */
export const deleteOldTaskHistory = retentionStatement('overview.delete-old-task-history', (limit) => [
  `delete from task_status_day where (company_id, framework_id, day) in (
    select d.company_id, d.framework_id, d.day from task_status_day d
    where d.day < ${TODAY} - ${TASK_HISTORY_RETENTION_DAYS} and exists (select from task_status_day newer
      where newer.company_id = d.company_id and newer.framework_id = d.framework_id
        and newer.day > d.day and newer.day < ${TODAY} - ${TASK_HISTORY_RETENTION_DAYS})
      and ${isUnfrozen('d.company_id')}
    limit ${limit} for update skip locked)`,
]);

type DayRow = { day: string } & Record<TaskStatus, number>;

/**
 * Number of tasks by status on each day, in the frameworks that the principal may access. A day without a row of a framework has
 * the numbers of the day before. Days before the first known numbers are left out; today has the current numbers. No row
 * without a framework.
 */
export const taskHistory = readStatement<{ framework: number | null }, DayRow>(
  'overview.task-history',
  ({ company, keyFrameworks, framework }) => `with accessible as materialized (
    select f.id from framework f where f.company_id = ${company}
      and (${keyFrameworks}::int[] is null or f.id = any(${keyFrameworks})) and (${framework}::int is null or f.id = ${framework})),
  spans as (
    select greatest(d.day, ${TODAY} - ${TASK_HISTORY_DAYS - 1}) as first,
      lead(d.day, 1, ${TODAY}) over (partition by d.framework_id order by d.day) as next, ${eachStatus((status) => `d.${status}`)}
    from accessible f join task_status_day d on d.company_id = ${company} and d.framework_id = f.id and d.day < ${TODAY}),
  past as (
    select s.first + age as day, ${eachStatus((status) => `sum(s.${status})::int as ${status}`)}
    from spans s cross join generate_series(0, s.next - s.first - 1) age group by 1),
  today as (
    select ${TODAY} as day, ${eachStatus((status) => `coalesce(sum(c.${status}), 0)::int as ${status}`)}
    from accessible f left join task_count c on c.company_id = ${company} and c.framework_id = f.id
    having count(*) > 0)
  select to_char(days.day, 'YYYY-MM-DD') as day, ${columns}
  from (select * from past union all select * from today) days order by days.day`,
);
