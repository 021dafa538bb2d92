import { taskResource } from './task.ts';
import type { TaskStatus } from './task.ts';
import { metadataJoins } from '../statements/change-metadata.ts';
import { readStatement } from '../statements/define-statement.ts';
import type { Placeholders, Statement } from '../statements/define-statement.ts';
import { columnsWithMetadata } from '../statements/resource.ts';
import { ORDERS, TASK_SORTS } from './order.ts';
import type { TaskPosition, TaskSort } from './order.ts';
import { countTasks } from './statements.ts';
import type { TaskRow } from './statements.ts';

/** Filters of a list of tasks; null for no filter. Bounds are included. Contract, section 3. */
export interface TaskFilters {
  /** One of the statuses. */
  status: readonly TaskStatus[] | null;
  /** One of the priorities. */
  priority: readonly number[] | null;
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
type TaskPageInput = TaskCountInput & TaskPosition & { limit: number };
type Condition = (placeholders: Placeholders<TaskCountInput>) => string;

interface TaskListStatements {
  /** Total is null if the company has no such framework. */
  count: Statement<TaskCountInput, { total: number | null }>;
  page: Statement<TaskPageInput, TaskRow>;
}

const frameworkCondition: Condition = ({ company, framework }) =>
  `t.company_id = ${company} and t.framework_id = ${framework}`;

/** Filters on columns of the indexes of lists. All filtered statements have them, as they cost little. */
const indexFilters: Condition = (placeholders) => {
  const { status, priority, departmentId, dueBefore, dueAfter } = placeholders;
  return `${frameworkCondition(placeholders)}
  and (${status}::text[] is null or t.status = any(${status}))
  and (${priority}::smallint[] is null or t.priority = any(${priority}))
  and (${departmentId}::int is null or t.department_id = ${departmentId})
  and (${dueBefore}::date is null or t.due_date <= ${dueBefore})
  and (${dueAfter}::date is null or t.due_date >= ${dueAfter})`;
};

/** Filter on another index. Only statements of requests with this filter have it. */
const updatedFilter: Condition = ({ updatedSince }) => `t.updated_at >= ${updatedSince}::timestamptz`;

/** Filters on the row itself. Only statements of requests with one of them have both. */
const textFilters: Condition = ({ label, q }) => `(${label}::text is null
    or exists (select from unnest(t.labels) one where fold_case(one) = fold_case(${label})))
  and (${q}::text is null or strpos(fold_case(t.title), fold_case(${q})) > 0)`;

/** Conditions of the statements, by name. */
const CONDITIONS: Record<'all' | 'filtered' | 'updated' | 'text' | 'updated-text', Condition[]> = {
  all: [frameworkCondition],
  filtered: [indexFilters],
  updated: [indexFilters, updatedFilter],
  text: [indexFilters, textFilters],
  'updated-text': [indexFilters, updatedFilter, textFilters],
};
type Filtering = keyof typeof CONDITIONS;

const conditionOf =
  (filtering: Filtering): Condition =>
  (placeholders) =>
    CONDITIONS[filtering].map((condition) => condition(placeholders)).join(' and ');

const countStatement = (filtering: Filtering): TaskListStatements['count'] =>
  readStatement(`task.count.${filtering}`, (placeholders) => {
    const { company, framework } = placeholders;
    return `select case when exists (select from framework f where f.company_id = ${company} and f.id = ${framework})
      then (select count(*)::int from task t where ${conditionOf(filtering)(placeholders)}) end as total`;
  });

/** Finds the tasks of the page in an index, then reads only their rows. */
const pageStatement = (filtering: Filtering, sort: TaskSort): TaskListStatements['page'] =>
  readStatement(`task.page.${filtering}.${sort}`, (placeholders) => {
    const { company } = placeholders;
    return `select ${columnsWithMetadata(taskResource, 't')}
    from (${pageOfIds(conditionOf(filtering)(placeholders), sort, placeholders)}) found
    join task t on t.company_id = ${company} and t.unique_id = found.unique_id ${metadataJoins('t')}
    order by ${orderBy(sort, 't')}`;
  });

function orderBy(sort: TaskSort, alias: string): string {
  const { direction, by, end } = ORDERS[sort];
  const nulls = end === undefined ? '' : ' nulls last';
  return `${by === undefined ? '' : `${alias}.${by.column} ${direction}${nulls}, `}${alias}.unique_id ${direction}`;
}

/**
 * Ids of the tasks after a position, from an index. An index scan cannot have nulls last in both directions, so tasks
 * without a value are a second scan of the same index.
 */
function pageOfIds(condition: string, sort: TaskSort, placeholders: Placeholders<TaskPageInput>): string {
  const { afterValue, afterId, afterIdWithoutValue, limit } = placeholders;
  const { direction, by, end } = ORDERS[sort];
  const after = direction === 'asc' ? '>' : '<';
  const scan = (position: string) => {
    const columns = by === undefined ? [] : [`t.${by.column}`];
    return `select ${['t.unique_id', ...columns].join(', ')} from task t where ${condition} and ${position}
      order by ${[...columns, 't.unique_id'].map((column) => `${column} ${direction}`).join(', ')} limit ${limit}::int`;
  };
  if (by === undefined) return scan(`t.unique_id ${after} ${afterId}::uuid`);
  const withValue = scan(`(t.${by.column}, t.unique_id) ${after} (${afterValue}::${by.type}, ${afterId}::uuid)`);
  if (end === undefined) return withValue;
  const withoutValue = scan(`t.${by.column} is null and t.unique_id ${after} ${afterIdWithoutValue}::uuid`);
  return `select page.unique_id from ((${withValue}) union all (${withoutValue})) page
    order by ${orderBy(sort, 'page')} limit ${limit}::int`;
}

const FILTERINGS: Filtering[] = ['all', 'filtered', 'updated', 'text', 'updated-text'];

/** A record with the value of each key. */
const byKey = <Key extends string, Value>(keys: readonly Key[], valueOf: (key: Key) => Value) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the entries have every key
  Object.fromEntries(keys.map((key) => [key, valueOf(key)])) as Record<Key, Value>;

const counts = byKey(FILTERINGS, (filtering) => (filtering === 'all' ? countTasks : countStatement(filtering)));
const pages = byKey(FILTERINGS, (filtering) => byKey(TASK_SORTS, (sort) => pageStatement(filtering, sort)));

/**
 * Statements that count and page the matching tasks. There are five kinds of conditions instead of one for each set of
 * filters, because every connection keeps each prepared statement (docs/decisions, 0020).
 */
export function taskListStatements(filters: TaskFilters, sort: TaskSort): TaskListStatements {
  const filtering = filteringOf(filters);
  return { count: counts[filtering], page: pages[filtering][sort] };
}

function filteringOf({ updatedSince, label, q, ...indexed }: TaskFilters): Filtering {
  const hasText = label !== null || q !== null;
  if (updatedSince !== null) return hasText ? 'updated-text' : 'updated';
  if (hasText) return 'text';
  return Object.values(indexed).every((filter) => filter === null) ? 'all' : 'filtered';
}
