import { tasksWithEvidence } from '../evidence/expiring.ts';
import { metadataJoins } from '../statements/change-metadata.ts';
import { readStatement } from '../statements/define-statement.ts';
import type { Placeholders, Statement } from '../statements/define-statement.ts';
import { byKey, orderBy, pageOf } from '../statements/order.ts';
import type { Position } from '../statements/order.ts';
import { columnsWithMetadata } from '../statements/columns.ts';
import { countTasks, countTasksOfOne, hasFrameworks } from './count.ts';
import { FILTERINGS, filterCondition, filteringOf } from './filters.ts';
import type { Filtering, TaskFilters, TaskScope, TaskSelection } from './filters.ts';
import { ORDERS, TASK_SORTS } from './order.ts';
import type { TaskSort } from './order.ts';
import type { TaskRow } from './statements.ts';
import { taskResource } from './task.ts';

type TaskPageInput = TaskSelection & Position & { limit: number };

interface TaskListStatements {
  /** Total is null if the company lacks one of the frameworks. */
  count: Statement<TaskSelection, { total: number | null }>;
  page: Statement<TaskPageInput, TaskRow>;
}

/**
 * SQL of the frameworks of the list, as `f`. The parameters are in subqueries, so that PostgreSQL estimates the same number of
 * frameworks for any values, and keeps one plan. It would otherwise plan each execution, which takes as long as the page.
 */
const scope = ({ company, frameworks, activeOnly }: Placeholders<TaskSelection>) =>
  `(select f.id from framework f where f.company_id = ${company}
    and ((select ${frameworks}::int[]) is null or f.id = any((select ${frameworks}::int[])::int[]))
    and (not (select ${activeOnly}::boolean) or f.archived_at is null)) f`;

/**
 * The tasks that match all filters, for filters that select few tasks. They begin with an index that finds fewer rows than those of
 * lists. CTEs, so that PostgreSQL uses this index whatever the order is.
 */
function selectedTasks(filtering: Filtering, placeholders: Placeholders<TaskSelection>): string | undefined {
  const { company } = placeholders;
  const columns = 't.unique_id, t.due_date, t.priority, t.updated_at';
  const conditions = `t.company_id = ${company}${filterCondition(filtering)(placeholders)}`;
  const frameworks = `join ${scope(placeholders)} on f.id = t.framework_id`;
  if (filtering === 'assignee' || filtering === 'assignee-evidence')
    return `with selected as materialized (select ${columns} from task t ${frameworks} where ${conditions})`;
  // `offset 0` keeps each task a lookup by its id, also before PostgreSQL has statistics of the tables.
  if (filtering === 'vendor')
    return `with selected as materialized (
    select ${columns} from task_vendor named cross join lateral (
      select * from task t where t.unique_id = named.task_id and ${conditions} offset 0) t ${frameworks}
    where named.company_id = ${company} and named.vendor_id = ${placeholders.vendor}::uuid)`;
  if (filtering !== 'rare-evidence') return undefined;
  return `with proven as materialized (${tasksWithEvidence(placeholders)}),
  selected as materialized (
    select ${columns} from proven cross join lateral (
      select * from task t where t.unique_id = proven.task_id and ${conditions} offset 0) t ${frameworks})`;
}

const countStatement = (filtering: Filtering): TaskListStatements['count'] =>
  readStatement(`task.count.${filtering}`, (placeholders) => {
    const { company, frameworks } = placeholders;
    const selected = selectedTasks(filtering, placeholders);
    const counted =
      selected === undefined
        ? `(select coalesce(sum(counted.tasks), 0)::int from ${scope(placeholders)} cross join lateral (
      select count(*) as tasks from task t
      where t.company_id = ${company} and t.framework_id = f.id${filterCondition(filtering)(placeholders)}) counted)`
        : '(select count(*)::int from selected)';
    return `${selected ?? ''} select case when ${hasFrameworks(company, frameworks)} then ${counted} end as total`;
  });

/**
 * Finds the tasks of the page in an index, then reads only their rows. Each framework has a scan of at most a page, so that
 * the indexes of the lists of one framework serve those of any number (docs/decisions, 0020).
 */
const pageStatement = (filtering: Filtering, sort: TaskSort): TaskListStatements['page'] =>
  readStatement(`task.page.${filtering}.${sort}`, (placeholders) => {
    const { company, limit } = placeholders;
    const conditions = `t.company_id = ${company} and t.framework_id = f.id${filterCondition(filtering)(placeholders)} and`;
    const selected = selectedTasks(filtering, placeholders);
    const pages =
      selected === undefined
        ? `${scope(placeholders)} cross join lateral (${pageOf(ORDERS[sort], 'task t', conditions, placeholders)}) page`
        : `(${pageOf(ORDERS[sort], 'selected t', '', placeholders)}) page`;
    return `${selected ?? ''} select ${columnsWithMetadata(taskResource, 't')}
    from (select page.unique_id from ${pages} order by ${orderBy(ORDERS[sort], 'page')} limit (select ${limit}::int)) found
    join task t on t.company_id = ${company} and t.unique_id = found.unique_id ${metadataJoins('t')}
    order by ${orderBy(ORDERS[sort], 't')}`;
  });

const counts = byKey(FILTERINGS, (filtering) => (filtering === 'all' ? countTasks : countStatement(filtering)));
const pages = byKey(FILTERINGS, (filtering) => byKey(TASK_SORTS, (sort) => pageStatement(filtering, sort)));

/** Statements that count and page the matching tasks. */
export function taskListStatements(
  filters: TaskFilters,
  sort: TaskSort,
  { frameworks }: Pick<TaskScope, 'frameworks'>,
): TaskListStatements {
  const filtering = filteringOf(filters);
  const isCounterOfOne = filtering === 'all' && frameworks?.length === 1;
  return { count: isCounterOfOne ? countTasksOfOne : counts[filtering], page: pages[filtering][sort] };
}
