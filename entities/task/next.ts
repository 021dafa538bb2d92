import { memberUsable } from '../schema/people.ts';
import { defineStatement, readStatement } from '../statements/define-statement.ts';
import type { Placeholders } from '../statements/define-statement.ts';
import { columnsWithMetadata } from '../statements/columns.ts';
import { metadataJoins } from '../statements/change-metadata.ts';
import { departmentUsable, gapUsable } from '../statements/references.ts';
import type { TaskRow } from './statements.ts';
import { taskResource } from './task.ts';

interface NextTask {
  /** The task that is closed. */
  uniqueId: string;
  nextId: string;
  dueDate: string;
  recurrence: string;
}

/**
 * SQL of the values of the next task by column, where they differ from those of the closed task `t`. What cannot be given any more
 * is left out.
 */
const newValues = ({ company, dueDate, recurrence }: Placeholders<NextTask>): Readonly<Record<string, string>> => ({
  due_date: `${dueDate}::date`,
  start_date: `${dueDate}::date - (t.due_date - t.start_date)`,
  status: `'todo'`,
  recurrence: `${recurrence}::text`,
  series_date: `${dueDate}::date`,
  department_id: `case when ${departmentUsable(company, 't.department_id')} then t.department_id end`,
  gaps: `array(select kept.id from unnest(t.gaps) with ordinality kept (id, position)
      where ${gapUsable(company, 'kept.id', 't.framework_id')} order by kept.position)`,
  assignee_id: `case when ${memberUsable(company, 't.assignee_id', 't.framework_id')} then t.assignee_id end`,
});

/** Makes the next task of a closed one, once in its life. No row in an archived framework. Contract, section 22. */
export const makeNextTask = defineStatement<NextTask, { uniqueId: string }>('task.make-next', (placeholders) => {
  const { company, user, uniqueId, nextId } = placeholders;
  const values = newValues(placeholders);
  const columns = [...taskResource.createdFields, ...taskResource.fields].map(({ column }) => column);
  return `with made as (
    insert into task (company_id, unique_id, ${columns.join(', ')}, previous, series_id, created_by_id, updated_by_id)
    select t.company_id, ${nextId}::uuid, ${columns.map((column) => values[column] ?? `t.${column}`).join(', ')},
      t.unique_id, coalesce(t.series_id, t.unique_id), ${user}::uuid, ${user}::uuid
    from task t join framework f on f.company_id = t.company_id and f.id = t.framework_id and f.archived_at is null
    where t.company_id = ${company} and t.unique_id = ${uniqueId}::uuid and t.next_id is null
    returning unique_id)
  update task set next_id = made.unique_id from made
  where task.company_id = ${company} and task.unique_id = ${uniqueId}::uuid
  returning made.unique_id as "uniqueId"`;
});

/** Tasks of the series of a task that exist, after an id, newest first. A task without a series is one by itself. */
export const tasksOfSeries = readStatement<{ uniqueId: string; afterId: string; limit: number }, TaskRow>(
  'task.series',
  ({ company, uniqueId, afterId, limit }) => `with first as (
    select coalesce(t.series_id, t.unique_id) as id from task t
    where t.company_id = ${company} and t.unique_id = ${uniqueId}::uuid)
  select ${columnsWithMetadata(taskResource, 't')} from task t ${metadataJoins('t')}
  where t.company_id = ${company} and t.unique_id = any(array(
    (select s.unique_id from task s where s.company_id = ${company} and s.series_id = (select id from first)
      and s.unique_id < ${afterId}::uuid order by s.unique_id desc limit (select ${limit}::int))
    union all
    select id from first where id < ${afterId}::uuid))
  order by t.unique_id desc limit (select ${limit}::int)`,
);
