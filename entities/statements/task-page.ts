import { readStatement } from './define-statement.ts';
import type { Statement } from './define-statement.ts';
import type { TaskStatus } from '../task.ts';
import { metadataJoins } from './change-metadata.ts';
import { countTasks, taskWithMetadataColumns } from './task.ts';
import type { TaskRowWithMetadata } from './task.ts';

/** Which tasks of a framework are asked for; null does not matter. Contract, section 3. */
export interface TaskFilters {
  status: TaskStatus | null;
  priority: number | null;
  /** One of its labels, ignoring case. */
  label: string | null;
  departmentId: number | null;
  /** Included, as is every bound. */
  dueBefore: string | null;
  dueAfter: string | null;
  updatedSince: string | null;
  /** Part of the title, ignoring case. */
  q: string | null;
}

type TaskCountInput = TaskFilters & { framework: number };
type TaskPageInput = TaskCountInput & {
  /** uniqueId of the task after which the page begins. */
  after: string;
  limit: number;
};

interface TaskListStatements {
  /** Null when the framework is not the company's. */
  count: Statement<TaskCountInput, { total: number | null }>;
  page: Statement<TaskPageInput, TaskRowWithMetadata>;
}

/** The uniqueId before which every other comes, newest first. */
export const FIRST_TASK_PAGE = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

const FRAMEWORK_CONDITION = 't.company_id = :company and t.framework_id = :framework';

/** On columns of the index that is walked: in every statement with filters, as it costs little to look at them. */
const INDEX_FILTERS = `${FRAMEWORK_CONDITION}
  and (:status::text is null or t.status = :status)
  and (:priority::smallint is null or t.priority = :priority)
  and (:departmentId::int is null or t.department_id = :departmentId)
  and (:dueBefore::date is null or t.due_date <= :dueBefore)
  and (:dueAfter::date is null or t.due_date >= :dueAfter)`;

/** On another index, or on the row itself: in the statements of those who ask for them. */
const OPTIONAL_FILTERS = {
  updatedSince: 't.updated_at >= :updatedSince::timestamptz',
  label: 'exists (select from unnest(t.labels) one where fold_case(one) = fold_case(:label::text))',
  q: 'strpos(fold_case(t.title), fold_case(:q::text)) > 0',
};

const countStatement = (name: string, where: string): TaskListStatements['count'] =>
  readStatement(
    `task.count.${name}`,
    `select case when exists (select from framework f where f.company_id = :company and f.id = :framework)
      then (select count(*)::int from task t where ${where}) end as total`,
  );

/** Tasks are found in an index first, and read as a whole only where they are on the page. */
const pageStatement = (name: string, where: string): TaskListStatements['page'] =>
  readStatement(
    `task.page.${name}`,
    `select ${taskWithMetadataColumns}
    from (select t.unique_id from task t where ${where} and t.unique_id < :after::uuid
      order by t.unique_id desc limit :limit::int) found
    join task t on t.company_id = :company and t.unique_id = found.unique_id ${metadataJoins('t')}
    order by t.unique_id desc`,
  );

const unfilteredStatements: TaskListStatements = { count: countTasks, page: pageStatement('all', FRAMEWORK_CONDITION) };

/** One pair for each set of those filters that are only in the statements of those who ask for them. */
const filteredStatements = [0, 1, 2, 3, 4, 5, 6, 7].map((set): TaskListStatements => {
  const conditions = Object.values(OPTIONAL_FILTERS).filter((_, at) => (set & (1 << at)) !== 0);
  const where = [INDEX_FILTERS, ...conditions].join(' and ');
  return { count: countStatement(String(set), where), page: pageStatement(String(set), where) };
});

/**
 * The statements that count and page the tasks that match, newest first: the newest is the one with the highest uniqueId.
 * There are nine pairs and not one for each set of filters, as every connection keeps each that it has run
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
