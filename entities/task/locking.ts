import { readStatement } from '../statements/define-statement.ts';
import type { Placeholders } from '../statements/define-statement.ts';
import { isOpenSql, taskResource } from './task.ts';
import type { TaskFields } from './task.ts';

// The setting `lockClosed` of a company. Contract, section 28. The trigger `require_unlocked` rejects what these conditions exclude, and
// changes of comments and evidence: a statement of a batch must change nothing instead of failing.

/** Condition: the company of a row lets closed tasks change, or this one is open. */
const isUnlocked = (alias: string) =>
  `case when ${isOpenSql(`${alias}.status`)} then true
    else not (select c.lock_closed from company c where c.id = ${alias}.company_id) end`;

/** Condition of a deletion of a task. */
export const IS_UNLOCKED = isUnlocked('task');

/** Condition of an update of a task, in SQL, for these new values: an admin may change the status alone. */
export function unlockedCondition(
  { isAdmin }: Placeholders<object>,
  newValues: Readonly<Record<keyof TaskFields, string>>,
): string {
  const others = taskResource.fields.filter(({ name }) => name !== 'status');
  const current = others.map(({ column }) => `task.${column}`).join(', ');
  const given = others.map(({ name }) => String(Reflect.get(newValues, name))).join(', ');
  return `(${IS_UNLOCKED} or ${isAdmin}::boolean and ${isOpenSql(newValues.status)}
      and (${current}) is not distinct from (${given}))`;
}

/**
 * Condition of a deletion that changes tasks: none of them is closed and locked.
 * @param link table with the tasks of the object @param column of the object there @param table of the object
 */
export const unlockedTasksCondition = (link: string, column: string, table: string) =>
  `not exists (select from ${link} named join task t on t.company_id = named.company_id and t.unique_id = named.task_id
    where named.company_id = ${table}.company_id and named.${column} = ${table}.unique_id and not ${isUnlocked('t')})`;

/** Number of closed and locked tasks that reference a vendor or a requirement. */
export const countLockedTasks = readStatement<{ uniqueId: string }, { total: number }>(
  'task.count-locked',
  ({ company, uniqueId }) => `select count(*)::int as total from task t
  where t.company_id = ${company} and not ${isUnlocked('t')} and t.unique_id = any(array(
    select v.task_id from task_vendor v where v.company_id = ${company} and v.vendor_id = ${uniqueId}::uuid
    union all select r.task_id from task_requirement r where r.company_id = ${company} and r.requirement_id = ${uniqueId}::uuid))`,
);
