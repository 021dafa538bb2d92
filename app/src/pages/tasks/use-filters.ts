import { useQuery } from '@tanstack/react-query';
import { trpc } from '../../api/client.ts';
import type { Inputs } from '../../api/client.ts';
import { useSearch } from '../../components/table/use-search.ts';

export type TaskFilters = Omit<Inputs['task']['list'], 'limit' | 'cursor'>;
type Sort = NonNullable<TaskFilters['sort']>;

/** Filters with a text, which the API validates. */
const TEXTS = ['q', 'status', 'priority', 'label', 'dueBefore', 'dueAfter'] as const;
const NAMES = [...TEXTS, 'framework', 'departmentId', 'sort', 'view'] as const;
const SORTS: readonly Sort[] = ['-createdAt', 'createdAt', 'dueDate', '-dueDate', 'priority', '-updatedAt'];

/** The orders as people read them. The first one is that of a list that nobody sorted. */
export const SORT_OPTIONS: readonly { value: Sort | ''; label: string }[] = [
  { value: '', label: 'Newest first' },
  { value: 'createdAt', label: 'Oldest first' },
  { value: '-updatedAt', label: 'Last updated first' },
  { value: 'dueDate', label: 'Due date, first to last' },
  { value: '-dueDate', label: 'Due date, last to first' },
  { value: 'priority', label: 'Urgent first' },
];

export type FilterName = (typeof NAMES)[number];
export type FilterValues = { [Name in FilterName]?: string };
export type SetFilters = (changes: { [Name in FilterName]?: string | undefined }) => void;

/** Removes all filters. The framework, the order and the view stay. */
export const NO_FILTERS = {
  q: undefined,
  status: undefined,
  priority: undefined,
  label: undefined,
  dueBefore: undefined,
  dueAfter: undefined,
  departmentId: undefined,
};

/** Filters of the page in the URL, as the input of the list. A list has tasks of one framework: by default of the first. */
export function useFilters() {
  const [search, setSearch] = useSearch(NAMES);
  const frameworks = useQuery(trpc.framework.list.queryOptions());
  const first = frameworks.data?.find(({ archived }) => !archived) ?? frameworks.data?.[0];
  const framework = search.framework === undefined ? first?.id : Number(search.framework);
  const texts: Partial<Record<(typeof TEXTS)[number], string>> = {};
  for (const name of TEXTS) if (search[name] !== undefined) texts[name] = search[name];
  const filters: TaskFilters | undefined =
    framework === undefined
      ? undefined
      : {
          ...texts,
          framework,
          ...(search.departmentId !== undefined && { departmentId: Number(search.departmentId) }),
          sort: SORTS.find((sort) => sort === search.sort) ?? '-createdAt',
        };
  return {
    values: search,
    setValues: setSearch,
    frameworks,
    /** Undefined while the frameworks load, or without any. */
    filters,
    isFiltered: Object.keys(NO_FILTERS).some((name) => Object.hasOwn(search, name)),
  };
}
