import type { Inputs } from '../../api/client.ts';
import { membersOf } from '../../components/person/member-filter.ts';
import { evidenceFilterOf } from '../../components/evidence/filter.ts';
import { knownList, knownValue } from '../../components/table/options.ts';
import { useSearch } from '../../components/table/use-search.ts';
import { TASK_STATUSES } from '../../components/task/choices.ts';
import { useSession } from '../../components/use-session.ts';
import { VIEW_PARAMETERS } from '../../components/views/view.ts';

export type TaskFilters = Omit<Inputs['task']['listAll'], 'limit' | 'cursor'>;
type Sort = NonNullable<TaskFilters['sort']>;
type Due = NonNullable<TaskFilters['due']>;

/** Filters with a text, which the API validates. */
const TEXTS = ['priority', 'label', 'dueBefore', 'dueAfter', 'framework', 'vendor'] as const;
const FILTERS = ['q', 'status', ...TEXTS, 'departmentId', 'assignee', 'due', 'evidence'] as const;
const NAMES = [...FILTERS, 'sort', 'view', ...VIEW_PARAMETERS] as const;
/** The orders as people read them. */
export const SORT_OPTIONS: readonly { value: Sort; label: string }[] = [
  { value: 'dueDate', label: 'Due date, first to last' },
  { value: '-dueDate', label: 'Due date, last to first' },
  { value: '-createdAt', label: 'Newest first' },
  { value: 'createdAt', label: 'Oldest first' },
  { value: '-updatedAt', label: 'Last updated first' },
  { value: 'priority', label: 'Urgent first' },
];

/** The order of a list that nobody sorted. */
export const DEFAULT_SORT: Sort = 'dueDate';

/** Values of the filter for due dates, as people read them. */
export const DUE_OPTIONS: readonly { value: Due; label: string }[] = [
  { value: 'overdue', label: 'Overdue' },
  { value: 'week', label: 'This week' },
  { value: 'none', label: 'No due date' },
];

export type FilterName = (typeof FILTERS)[number];
export type FilterValues = { [Name in (typeof NAMES)[number]]?: string | undefined };
export type SetFilters = (changes: FilterValues) => void;

/** Removes all filters. The order, the columns and the view stay. */
export const NO_FILTERS: { [Name in FilterName]?: undefined } = Object.fromEntries(
  FILTERS.map((name) => [name, undefined]),
);

/** Filters of the page in the URL, as the input of the list. */
export function useFilters() {
  const [given, setSearch] = useSearch(NAMES);
  // A status that no task has filters nothing, so that no button may say that it does.
  const search = { ...given, status: knownList(['open', ...TASK_STATUSES], given.status) };
  const { member } = useSession();
  const texts: Partial<Record<(typeof TEXTS)[number], string>> = {};
  for (const name of TEXTS) if (search[name] !== undefined) texts[name] = search[name];
  const { q, status, departmentId, assignee, due, evidence, sort } = search;
  const filters: TaskFilters = {
    ...texts,
    ...(q !== undefined && { q }),
    ...(status !== undefined && { status }),
    ...(departmentId !== undefined && { departmentId: Number(departmentId) }),
    ...(assignee !== undefined && { assignee: membersOf(assignee, member) }),
    ...(due !== undefined && { due: DUE_OPTIONS.find(({ value }) => value === due)?.value }),
    ...(evidence !== undefined && { evidence: evidenceFilterOf(evidence) }),
    sort: knownValue(SORT_OPTIONS, sort) ?? DEFAULT_SORT,
  };
  return {
    values: search,
    setValues: setSearch,
    filters,
    isOfOneFramework: search.framework?.includes(',') === false,
    /** True with a filter beside the framework. */
    isFiltered: FILTERS.some((name) => name !== 'framework' && search[name] !== undefined),
  };
}
