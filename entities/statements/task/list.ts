import { taskResource } from '../../task.ts';
import type { TaskStatus } from '../../task.ts';
import { metadataJoins } from '../change-metadata.ts';
import { readStatement } from '../define-statement.ts';
import type { Placeholders, Statement } from '../define-statement.ts';
import { columnsWithMetadata } from '../resource.ts';
import { countTasks } from './task.ts';
import type { TaskRow } from './task.ts';

/** Filters of a list of tasks; null for no filter. Bounds are included. Contract, section 3. */
export interface TaskFilters {
  status: TaskStatus | null;
  priority: number | null;
  /** One of the labels, ignoring case. */
  label: string | null;
  departmentId: number | null;
  dueBefore: string | null;
  dueAfter: string | null;
  updatedSince: string | null;
  /** Part of the title, ignoring case. */
  q: string | null;
}

type TaskCountInput = TaskFilters & { framework: number };
type TaskPageInput = TaskCountInput & {
  /** uniqueId of the last task of the previous page. */
  after: string;
  limit: number;
};
type Condition = (placeholders: Placeholders<TaskCountInput>) => string;

interface TaskListStatements {
  /** Total is null if the company has no such framework. */
  count: Statement<TaskCountInput, { total: number | null }>;
  page: Statement<TaskPageInput, TaskRow>;
}

/** Sorts before every uniqueId, newest first. */
export const FIRST_TASK_PAGE = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

const frameworkCondition: Condition = ({ company, framework }) =>
  `t.company_id = ${company} and t.framework_id = ${framework}`;

/** Filters on columns of the index `task_by_framework`. All filtered statements have them, as they cost little. */
const indexFilters: Condition = (placeholders) => {
  const { status, priority, departmentId, dueBefore, dueAfter } = placeholders;
  return `${frameworkCondition(placeholders)}
  and (${status}::text is null or t.status = ${status})
  and (${priority}::smallint is null or t.priority = ${priority})
  and (${departmentId}::int is null or t.department_id = ${departmentId})
  and (${dueBefore}::date is null or t.due_date <= ${dueBefore})
  and (${dueAfter}::date is null or t.due_date >= ${dueAfter})`;
};

/** Filters on another index or on the row itself. Only statements of requests with such a filter have it. */
const OPTIONAL_FILTERS: Record<'updatedSince' | 'label' | 'q', Condition> = {
  updatedSince: ({ updatedSince }) => `t.updated_at >= ${updatedSince}::timestamptz`,
  label: ({ label }) => `exists (select from unnest(t.labels) one where fold_case(one) = fold_case(${label}::text))`,
  q: ({ q }) => `strpos(fold_case(t.title), fold_case(${q}::text)) > 0`,
};

const countStatement = (name: string, condition: Condition): TaskListStatements['count'] =>
  readStatement(`task.count.${name}`, (placeholders) => {
    const { company, framework } = placeholders;
    return `select case when exists (select from framework f where f.company_id = ${company} and f.id = ${framework})
      then (select count(*)::int from task t where ${condition(placeholders)}) end as total`;
  });

/** Finds the tasks of the page in an index, then reads only their rows. */
const pageStatement = (name: string, condition: Condition): TaskListStatements['page'] =>
  readStatement(`task.page.${name}`, (placeholders) => {
    const { company, after, limit } = placeholders;
    return `select ${columnsWithMetadata(taskResource, 't')}
    from (select t.unique_id from task t where ${condition(placeholders)} and t.unique_id < ${after}::uuid
      order by t.unique_id desc limit ${limit}::int) found
    join task t on t.company_id = ${company} and t.unique_id = found.unique_id ${metadataJoins('t')}
    order by t.unique_id desc`;
  });

const unfilteredStatements: TaskListStatements = { count: countTasks, page: pageStatement('all', frameworkCondition) };

/** One pair for each set of optional filters. */
const filteredStatements = [0, 1, 2, 3, 4, 5, 6, 7].map((set): TaskListStatements => {
  const conditions = Object.values(OPTIONAL_FILTERS).filter((_, index) => (set & (1 << index)) !== 0);
  const where: Condition = (placeholders) =>
    [indexFilters, ...conditions].map((condition) => condition(placeholders)).join(' and ');
  return { count: countStatement(String(set), where), page: pageStatement(String(set), where) };
});

/**
 * Statements that count and page the matching tasks, newest first. The newest task has the highest uniqueId.
 * There are nine pairs instead of one for each set of filters, because every connection keeps each prepared statement
 * (docs/decisions, 0020).
 */
export function taskListStatements(filters: TaskFilters): TaskListStatements {
  const { status, priority, departmentId, dueBefore, dueAfter, updatedSince, label, q } = filters;
  const filterMask = (updatedSince === null ? 0 : 1) + (label === null ? 0 : 2) + (q === null ? 0 : 4);
  const firstIndexFilter = status ?? priority ?? departmentId ?? dueBefore ?? dueAfter;
  return (
    (filterMask === 0 && firstIndexFilter === null ? undefined : filteredStatements[filterMask]) ?? unfilteredStatements
  );
}
