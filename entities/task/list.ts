import { MAX_RARE, matchesEvidence, tasksWithEvidence } from '../evidence/expiring.ts';
import { foldedParameter } from '../fold-case.ts';
import { columnsOf } from '../fields/filters.ts';
import { byName } from '../statements/by-name.ts';
import type { NamedId, Names } from '../statements/by-name.ts';
import { metadataJoins } from '../statements/change-metadata.ts';
import { columnsWithMetadata } from '../statements/columns.ts';
import { pipelinedRead, readStatement, anyCompany } from '../statements/define-statement.ts';
import type { Placeholders, Statement } from '../statements/define-statement.ts';
import { SAMPLE_ORDER, positionWithSeed, withSample } from '../statements/sample.ts';
import type { Sample } from '../statements/sample.ts';
import { byKey, keysOf, orderBy, ordersOf, pageOf } from '../statements/order.ts';
import type { Position } from '../statements/order.ts';
import { taskFilters } from './filters.ts';
import type { TaskFilters } from './filters.ts';
import type { TaskRow } from './statements.ts';
import { TASK_STATUSES, taskResource } from './task.ts';

const columns = columnsOf(taskResource.properties);

const { where } = taskFilters;

/** Frameworks whose tasks are listed. */
export interface TaskScope {
  /** Null for all of the company. */
  frameworks: readonly number[] | null;
  /** True without archived frameworks. */
  activeOnly: boolean;
}

type TaskSelection = TaskFilters & TaskScope;
type Condition = (placeholders: Placeholders<TaskSelection>) => string;

/** Filters on columns of the indexes of lists. All filtered statements have them, as they cost little. */
const indexFilters: Condition = (placeholders) =>
  where(placeholders, 'status', 'priority', 'departmentId', 'dueBefore', 'dueAfter', 'noDueDate');

/** Filter on another index. Only statements of requests with this filter have it. */
const updatedFilter: Condition = ({ updatedSince }) => `${columns.updatedAt} >= ${updatedSince}::timestamptz`;

/** Filters on the row itself. Only statements of requests with one of them have all of them. */
const rowFilters: Condition = (placeholders) => where(placeholders, 'label', 'q', 'assignee', 'requirement');

/** Filter on another index, as the one above. */
const closedFilter: Condition = ({ closedFrom, closedUntil }) =>
  `${columns.closedAt} >= coalesce(${closedFrom}::timestamptz, '-infinity') and ${columns.closedAt} < coalesce(${closedUntil}::timestamptz, 'infinity')`;

/** All filters on columns. */
const anyFilters: Condition = (placeholders) =>
  `${indexFilters(placeholders)} and ${rowFilters(placeholders)} and ${where(placeholders, 'updatedSince', 'closedFrom', 'closedUntil')}`;

/** The tasks of some people, in any frameworks. Their index finds fewer rows than those of lists. */
const assigneeFilters: Condition = (placeholders) =>
  `${columns.assignee} = any(${placeholders.assignee}::uuid[]) and ${anyFilters(placeholders)}`;

const evidenceFilter: Condition = (placeholders) => matchesEvidence('task', 't', placeholders);

/** All filters, for a statement that begins with the tasks of a vendor or of a label, or with those that were closed within a time. */
const namedFilters: Condition = (placeholders) =>
  `${anyFilters(placeholders)}
  and (${placeholders.hasEvidence}::boolean is null or ${evidenceFilter(placeholders)})`;

/** Conditions of the statements, by name. */
const CONDITIONS = {
  all: [],
  filtered: [indexFilters],
  updated: [indexFilters, updatedFilter],
  row: [indexFilters, rowFilters],
  'updated-row': [indexFilters, updatedFilter, rowFilters],
  closed: [indexFilters, closedFilter],
  'closed-any': [closedFilter, namedFilters],
  assignee: [assigneeFilters],
  evidence: [indexFilters, evidenceFilter],
  'row-evidence': [anyFilters, evidenceFilter],
  'assignee-evidence': [assigneeFilters, evidenceFilter],
  'rare-evidence': [anyFilters],
  vendor: [namedFilters],
  'rare-label': [namedFilters],
  requirement: [namedFilters],
} satisfies Record<string, Condition[]>;

type Filtering = keyof typeof CONDITIONS;

/** Condition on a task `t` of the company, beside its framework. Begins with `and`. */
const filterCondition =
  (filtering: Filtering): Condition =>
  (placeholders) =>
    CONDITIONS[filtering].map((condition: Condition) => ` and ${condition(placeholders)}`).join('');

/** True if the filters are null, except some. */
const hasOnly = (filters: TaskFilters, ...names: (keyof TaskFilters)[]) =>
  keysOf(filters).every((name) => filters[name] === null || names.includes(name));

const hasNone = (filters: TaskFilters, ...names: (keyof TaskFilters)[]) =>
  names.every((name) => filters[name] === null);

/** The kind of statement for filters. There are few, because every connection keeps each prepared statement (decision 0020). */
function filteringOf({
  updatedSince,
  label,
  q,
  assignee,
  unassigned,
  hasEvidence,
  expiresBefore: _expiresBefore,
  isEvidenceRare,
  isLabelRare,
  vendor,
  requirement,
  unlinked,
  closedFrom,
  closedUntil,
  ...indexed
}: TaskFilters): Filtering {
  if (vendor !== null) return 'vendor';
  if (requirement !== null && unlinked === null) return 'requirement';
  if (isEvidenceRare !== null) return 'rare-evidence';
  if (isLabelRare !== null) return 'rare-label';
  const hasAssignee = assignee !== null && unassigned === null;
  const filtersRows = label !== null || q !== null || unassigned !== null || unlinked !== null;
  const isOfClosed = closedFrom !== null || closedUntil !== null;
  if (isOfClosed && !hasAssignee)
    return filtersRows || updatedSince !== null || hasEvidence !== null ? 'closed-any' : 'closed';
  if (hasEvidence !== null)
    return hasAssignee ? 'assignee-evidence' : filtersRows || updatedSince !== null ? 'row-evidence' : 'evidence';
  if (hasAssignee) return 'assignee';
  if (updatedSince !== null) return filtersRows ? 'updated-row' : 'updated';
  if (filtersRows) return 'row';
  return Object.values(indexed).every((filter) => filter === null) ? 'all' : 'filtered';
}

/** Orders of a list of tasks. `-` means descending. Contract, section 3. */
export const TASK_FIELD_SORTS = [
  '-createdAt',
  'createdAt',
  'dueDate',
  '-dueDate',
  'priority',
  '-updatedAt',
  '-closedAt',
] as const;
export const TASK_SORTS = [...TASK_FIELD_SORTS, 'sample'] as const;
export type TaskSort = (typeof TASK_SORTS)[number];

export const ORDERS = { ...ordersOf(taskResource.properties, TASK_FIELD_SORTS), sample: SAMPLE_ORDER };

/** Position after a task, or before the first task. */
export const positionAfterTask = (sort: TaskSort, last: readonly string[], seed: string | null = null) =>
  positionWithSeed(ORDERS[sort], last, seed);

/** Condition: the company has all these distinct frameworks, or there are none. */
const hasFrameworks = (company: string, frameworks: string) =>
  `(${frameworks}::int[] is null or (select count(*) from framework f
    where f.company_id = ${company} and f.id = any(${frameworks})) = cardinality(${frameworks}::int[]))`;

type TaskCount = Statement<{ frameworks: readonly number[] | null }, { total: number | null }>;

/** Total of one framework. It is null if the company has no such framework. */
export const countTasksOfOne: TaskCount = pipelinedRead('task.count-one', ({ company, frameworks }) => {
  const framework = `(${frameworks}::int[])[1]`;
  return `select case when exists (select from framework f where f.company_id = ${company} and f.id = ${framework})
    then (select coalesce(sum(c.tasks), 0)::int from task_count c where c.company_id = ${company} and c.framework_id = ${framework}) end as total`;
});

/** Total of the frameworks, or of all without any. It is null if the company lacks one of them. */
const countTasks: TaskCount = pipelinedRead(
  'task.count',
  ({ company, frameworks }) =>
    `select case when ${hasFrameworks(company, frameworks)} then (select coalesce(sum(c.tasks), 0)::int from task_count c
      where c.company_id = ${company} and (${frameworks}::int[] is null or c.framework_id = any(${frameworks}))) end as total`,
);

/** The same for the filter by status alone. */
const countTasksOfStatus = readStatement<TaskSelection, { total: number | null }>(
  'task.count.status-only',
  ({ company, frameworks, status }) =>
    `select case when ${hasFrameworks(company, frameworks)} then (
      select coalesce(sum(${TASK_STATUSES.map((one) => `case when '${one}' = any(${status}::text[]) then c.${one} else 0 end`).join(' + ')}), 0)::int
      from task_count c where c.company_id = ${company} and (${frameworks}::int[] is null or c.framework_id = any(${frameworks}))) end as total`,
);

type TaskPageInput = TaskSelection & Position & Sample & { limit: number };

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

/** SQL of the tasks of a label. */
const labelled = ({ company, label }: Placeholders<Pick<TaskFilters, 'label'>>) =>
  `from task_label named where named.company_id = ${company} and named.label = ${foldedParameter(label)}`;

/** SQL of the tasks of a vendor. */
const ofVendor = ({ company, vendor }: Placeholders<Pick<TaskFilters, 'vendor'>>) =>
  `from task_vendor named where named.company_id = ${company} and named.vendor_id = ${vendor}::uuid`;

/** SQL of the tasks of requirements, each once. */
const ofRequirements = ({ company, requirement }: Placeholders<Pick<TaskFilters, 'requirement'>>) =>
  `from (select distinct l.task_id from task_requirement l
    where l.company_id = ${company} and l.requirement_id = any(${requirement}::uuid[])) named`;

/** Indexes in which statements find few tasks. */
const NAMED = { vendor: ofVendor, 'rare-label': labelled, requirement: ofRequirements };

/** True if few tasks have a label. */
export const isLabelRare = pipelinedRead<{ label: string }, { rare: boolean }>(
  'task.is-label-rare',
  (placeholders) =>
    `select count(*) <= ${MAX_RARE} as rare from (select ${labelled(placeholders)} limit ${MAX_RARE + 1}) counted`,
);

/**
 * The tasks that match all filters, for filters that select few tasks. They begin with an index that finds fewer rows than those of
 * lists. CTEs, so that PostgreSQL uses this index whatever the order is.
 */
function selectedTasks(filtering: Filtering, placeholders: Placeholders<TaskSelection>): string | undefined {
  const { company } = placeholders;
  const ordered = [...new Set(TASK_FIELD_SORTS.map((sort) => `t.${ORDERS[sort].by?.column ?? 'unique_id'}`))].join(
    ', ',
  );
  const conditions = `t.company_id = ${company}${filterCondition(filtering)(placeholders)}`;
  const frameworks = `join ${scope(placeholders)} on f.id = t.framework_id`;
  if (filtering === 'assignee' || filtering === 'assignee-evidence')
    return `with selected as materialized (select ${ordered} from task t ${frameworks} where ${conditions})`;
  // `offset 0` keeps each task a lookup by its id, also before PostgreSQL has statistics of the tables.
  if (filtering === 'vendor' || filtering === 'rare-label' || filtering === 'requirement')
    return `with selected as materialized (
    select ${ordered} from (select named.task_id ${NAMED[filtering](placeholders)}) named cross join lateral (
      select * from task t where t.unique_id = named.task_id and ${conditions} offset 0) t ${frameworks})`;
  if (filtering !== 'rare-evidence') return undefined;
  return `with proven as materialized (${tasksWithEvidence(placeholders)}),
  selected as materialized (
    select ${ordered} from proven cross join lateral (
      select * from task t where t.unique_id = proven.task_id and ${conditions} offset 0) t ${frameworks})`;
}

/** Where a statement finds its tasks, as `t`. */
interface Source {
  from: string;
  /** Empty if all rows of the source match. */
  conditions: string;
  /** True if it is read for each framework `f`. */
  isOfFramework: boolean;
  /** CTEs of the source. */
  ctes?: string;
}

type SourceOf = (placeholders: Placeholders<TaskSelection>) => Source;

const filteredTasks =
  (filtering: Filtering): SourceOf =>
  (placeholders) => {
    const ctes = selectedTasks(filtering, placeholders);
    if (ctes !== undefined) return { from: 'selected t', conditions: '', isOfFramework: false, ctes };
    return {
      from: 'task t',
      conditions: `t.company_id = ${anyCompany(placeholders.company)} and t.framework_id = f.id${filterCondition(filtering)(placeholders)}`,
      isOfFramework: true,
    };
  };

/** Ids of tasks, for lists whose only filter is a label or a vendor. Their indexes have the ids in order, so no task is read. */
const INDEXED = {
  'label-only': (placeholders) => ({
    from: `(select named.task_id as unique_id ${labelled(placeholders)} and named.framework_id = f.id) t`,
    conditions: '',
    isOfFramework: true,
  }),
  // For all frameworks, as the index has none.
  'vendor-only': (placeholders) => ({
    from: `(select named.task_id as unique_id ${ofVendor(placeholders)}) t`,
    conditions: '',
    isOfFramework: false,
  }),
} satisfies Record<string, SourceOf>;

const countStatement = (name: string, sourceOf: SourceOf): TaskListStatements['count'] =>
  readStatement(`task.count.${name}`, (placeholders) => {
    const { company, frameworks } = placeholders;
    const { from, conditions, isOfFramework, ctes = '' } = sourceOf(placeholders);
    const counted = `select count(*)::int as tasks from ${from}${conditions && ` where ${conditions}`}`;
    const total = isOfFramework
      ? `select coalesce(sum(counted.tasks), 0)::int from ${scope(placeholders)} cross join lateral (${counted}) counted`
      : counted;
    return `${ctes} select case when ${hasFrameworks(company, frameworks)} then (${total}) end as total`;
  });

/**
 * Finds the tasks of the page in an index, then reads only their rows. Each framework has a scan of at most a page, so that
 * the indexes of the lists of one framework serve those of any number (decision 0020).
 */
const pageStatement = (name: string, sourceOf: SourceOf, sort: TaskSort): TaskListStatements['page'] =>
  readStatement(`task.page.${name}.${sort}`, (placeholders) => {
    const { company, limit } = placeholders;
    const { from, conditions, isOfFramework, ctes = '' } = sourceOf(placeholders);
    const isSample = sort === 'sample';
    const source = isSample ? withSample(from, placeholders) : from;
    const page = `(${pageOf(ORDERS[sort], source, conditions && `${conditions} and`, placeholders)}) page`;
    const pages = isOfFramework ? `${scope(placeholders)} cross join lateral ${page}` : page;
    return `${ctes} select ${columnsWithMetadata(taskResource, 't')}
    from (select ${isSample ? 'page.sample, ' : ''}page.unique_id from ${pages} order by ${orderBy(ORDERS[sort], 'page')} limit (select ${limit}::int)) found
    join task t on t.company_id = ${anyCompany(company)} and t.unique_id = found.unique_id ${metadataJoins('t')}
    order by ${orderBy(ORDERS[sort], isSample ? 'found' : 't')}`;
  });

const counts = byKey(keysOf(CONDITIONS), (filtering) =>
  filtering === 'all' ? countTasks : countStatement(filtering, filteredTasks(filtering)),
);
const pages = byKey(keysOf(CONDITIONS), (filtering) =>
  byKey(TASK_SORTS, (sort) => pageStatement(filtering, filteredTasks(filtering), sort)),
);
const indexedCounts = byKey(keysOf(INDEXED), (only) => countStatement(only, INDEXED[only]));
/** For a frequent label beside filters on columns of the indexes of lists: both are read from indexes, and joined. */
const countLabelledTasks = countStatement('label-filtered', (placeholders) => ({
  from: 'task t',
  conditions: `t.company_id = ${anyCompany(placeholders.company)} and t.framework_id = f.id and ${indexFilters(placeholders)}
    and exists (select ${labelled(placeholders)} and named.framework_id = f.id and named.task_id = t.unique_id)`,
  isOfFramework: true,
}));
const indexedPages = byKey(keysOf(INDEXED), (only) =>
  byKey(['-createdAt', 'createdAt'], (sort) => pageStatement(only, INDEXED[only], sort)),
);

/** The only filter, if its index has the ids of the tasks. */
function onlyFilter(filters: TaskFilters, frameworks: readonly number[] | null) {
  if (filters.label !== null && hasOnly(filters, 'label', 'isLabelRare')) return 'label-only';
  return frameworks === null && filters.vendor !== null && hasOnly(filters, 'vendor') ? 'vendor-only' : undefined;
}

function countFor(filtering: Filtering, filters: TaskFilters, frameworks: readonly number[] | null) {
  if (filtering === 'all' && frameworks?.length === 1) return countTasksOfOne;
  if (filters.status !== null && hasOnly(filters, 'status')) return countTasksOfStatus;
  const isLabelled = filtering === 'row' && filters.label !== null && hasNone(filters, 'q', 'unassigned', 'unlinked');
  return isLabelled ? countLabelledTasks : counts[filtering];
}

/** Statements that count and page the matching tasks. */
export function taskListStatements(
  filters: TaskFilters,
  sort: TaskSort,
  { frameworks }: Pick<TaskScope, 'frameworks'>,
): TaskListStatements {
  const filtering = filteringOf(filters);
  const page = pages[filtering][sort];
  const only = onlyFilter(filters, frameworks);
  if (only === undefined) return { count: countFor(filtering, filters, frameworks), page };
  const isInOrder = sort === 'createdAt' || sort === '-createdAt';
  return { count: indexedCounts[only], page: isInOrder ? indexedPages[only][sort] : page };
}

/** Tasks of a framework with these titles, closed ones too. */
export const findTasksByTitle = readStatement<Names & { framework: number }, NamedId>(
  'task.by-title',
  ({ company, framework, names }) =>
    byName(names, 't.unique_id', 't.title', `task t where t.company_id = ${company} and t.framework_id = ${framework}`),
);
