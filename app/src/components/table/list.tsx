import { NativeSelect } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { QueryKey, SkipToken } from '@tanstack/react-query';
import { Fragment } from 'react';
import type { ReactNode } from 'react';
import { pagesOptions } from '../../api/pages.ts';
import type { LoadPage } from '../../api/pages.ts';
import { valuesOf } from '../../api/values.ts';
import { useHasDialog } from '../form/dialog.tsx';
import { useHidden } from '../undo/undo.ts';
import { VIEW_PARAMETERS } from '../views/view.ts';
import type { Column } from './data-table.tsx';
import { FilterBar, FilterPopover, SearchField } from './filter-bar.tsx';
import { knownValue } from './filters.tsx';
import type { Filter, FilterInputProps, Filters, Options } from './filters.tsx';
import { ColumnFields, ColumnMenu, useColumns } from './use-columns.tsx';
import type { ColumnChoice } from './use-columns.tsx';
import { SAMPLE_PARAMETERS, SampleButton, sampleIn, SampleSentence, sampleText, WITHOUT_SAMPLE } from './sample.tsx';
import type { Sample } from './sample.tsx';
import { useSearch } from './use-search.ts';
import { useLoadMore } from './use-load-more.ts';

/** A list: its table, filters, addresses and queries derive from this. */
interface ListDeclaration<Row, Query, Sort extends string> {
  /** Name in the storage of the browser. */
  name: string;
  /** Word for the rows: `['vendor', 'vendors']`. */
  unit: readonly [one: string, many: string];
  columns: readonly Column<Row>[];
  filters: Filters<Query>;
  /** The orders as people read them. The first one is that of a list that nobody sorted. */
  sorts?: Options<Sort>;
  /** True for a list that shows samples of its rows. */
  hasSamples?: boolean;
  /** Parameters of the URL beside filters, order and view. */
  parameters?: readonly string[];
}

/** A filter with its parameter of the URL. */
interface ListedFilter extends Filter<unknown> {
  parameter: string;
}

/** The state of a list, which is in its URL. */
export function useList<Row, Query extends object, Sort extends string = never>(
  declaration: ListDeclaration<Row, Query, Sort>,
) {
  const { name, unit, filters, columns, sorts = [], hasSamples = false, parameters = [] } = declaration;
  const names = valuesOf<Extract<keyof Query, string>>(filters);
  const [search, setValues] = useSearch<string>([
    ...names,
    'sort',
    ...(hasSamples ? SAMPLE_PARAMETERS : []),
    ...parameters,
    ...VIEW_PARAMETERS,
  ]);
  // A text that filters nothing is left out, so that no button says that it does.
  const values: Record<string, string | undefined> = { ...search };
  const query: Partial<Query> = {};
  for (const parameter of names) {
    const given = search[parameter];
    const value = given === undefined ? undefined : filters[parameter].read(given);
    if (value === undefined) values[parameter] = undefined;
    else query[parameter] = value;
  }
  const sort = knownValue(sorts, values['sort']) ?? sorts[0]?.value;
  const sample = hasSamples ? sampleIn(search) : undefined;
  const setSort = (next: string | undefined) =>
    setValues({ ...WITHOUT_SAMPLE, sort: next === sorts[0]?.value ? undefined : next });
  const table = useColumns(name, columns, {
    value: values['columns'],
    onChange: (ids) => setValues({ columns: ids }),
  });
  return {
    unit,
    /** Texts of the URL by parameter. */
    values,
    setValues,
    /** Filters and order for the API. That of a sample is in `sample`. */
    query: { ...query, ...(sort !== undefined && { sort }) },
    /** Undefined without one. */
    sample,
    hasSamples,
    filters: names.map((parameter): ListedFilter => ({ ...filters[parameter], parameter })),
    /** Parameters of the filters that are set. */
    set: names.filter((parameter) => values[parameter] !== undefined),
    sorts,
    columnChoice: table.choice,
    /** Properties of the table. */
    table: { columns: table.columns, kept: table.kept, sort: sample === undefined ? sort : undefined, onSort: setSort },
  };
}

/** The order of a sample, which another one ends. */
const SAMPLE_ORDER = { value: 'sample', label: 'Sample' };

/** Width of a window up to which the filters are behind one button. */
const NARROW = '(max-width: 768px)';

interface ListBarProps {
  /** What `useList` returns. */
  list: {
    unit: readonly [one: string, many: string];
    values: Readonly<Record<string, string | undefined>>;
    setValues: (changes: Record<string, string | undefined>) => void;
    filters: readonly ListedFilter[];
    sorts: Options;
    sample: Sample | undefined;
    hasSamples: boolean;
    columnChoice: ColumnChoice | undefined;
    table: { sort: string | undefined; onSort: (sort: string) => void };
  };
  /** Number of matching rows on all pages; undefined while it loads. */
  total: number | undefined;
  /** Number of rows that match, of which a sample shows some. */
  matching?: number | undefined;
  /** True if there are more rows than `total`. */
  hasMore?: boolean | undefined;
  /** Controls after the filters. */
  children?: ReactNode;
}

/** The search field, the filters, the order of a narrow table and the choice of columns. In a narrow window they are behind one button. */
export function ListBar({ list, total, matching, hasMore, children }: ListBarProps) {
  const isCovered = useHasDialog();
  const { unit, values, setValues, filters, sorts, sample, hasSamples, columnChoice, table } = list;
  const isNarrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false });
  const isFirst = ({ width }: ListedFilter) => width !== undefined && !isNarrow;
  const behind = filters.filter((filter) => filter.input !== undefined && !isFirst(filter));
  const change = ({ parameter, resets }: ListedFilter, value: string | undefined) =>
    setValues({ [parameter]: value, ...(resets !== undefined && { [resets]: undefined }) });
  const input = (filter: ListedFilter, frame: Omit<FilterInputProps['frame'], 'size'>) => (
    <Fragment key={filter.parameter}>
      {filter.input?.({
        value: values[filter.parameter],
        onChange: (value) => change(filter, value),
        onChangeAll: setValues,
        frame: { size: 'xs', ...frame },
      })}
    </Fragment>
  );
  const others = (
    <>
      {children}
      {hasSamples && <SampleButton sample={sample} noun={unit[1]} onChange={setValues} />}
      {sorts.length > 0 && (
        <NativeSelect
          {...(isNarrow ? { label: 'Order' } : { 'aria-label': 'Order', hiddenFrom: 'lg' })}
          size="xs"
          data={sample === undefined ? [...sorts] : [SAMPLE_ORDER, ...sorts]}
          value={table.sort ?? SAMPLE_ORDER.value}
          onChange={({ currentTarget }) => table.onSort(currentTarget.value)}
        />
      )}
    </>
  );
  return (
    <FilterBar
      total={total}
      {...(sample !== undefined && { of: matching })}
      hasMore={hasMore}
      unit={unit}
      filters={[
        ...filters.flatMap(({ parameter, name, textOf = (text) => text }) => {
          const value = values[parameter];
          const remove = () => setValues({ [parameter]: undefined });
          return value === undefined ? [] : [{ text: `${name}: ${textOf(value)}`, remove }];
        }),
        ...(sample === undefined ? [] : [{ text: sampleText(sample), remove: () => setValues(WITHOUT_SAMPLE) }]),
      ]}
      note={sample !== undefined && <SampleSentence sample={sample} total={matching} unit={unit} />}
      onClear={() =>
        setValues({
          ...(sample && WITHOUT_SAMPLE),
          ...Object.fromEntries(filters.map(({ parameter }) => [parameter, undefined])),
        })
      }
    >
      {filters.map(
        ({ parameter, search }) =>
          search !== undefined && (
            <SearchField
              key={parameter}
              label={search}
              value={values[parameter]}
              onChange={(text) => setValues({ [parameter]: text })}
            />
          ),
      )}
      {filters.filter(isFirst).map((filter) =>
        input(filter, {
          // A dialog has fields with the same names.
          ...(!isCovered && { 'aria-label': filter.name }),
          ...(filter.width !== undefined && { w: filter.width }),
        }),
      )}
      {behind.length > 0 && (
        <FilterPopover count={behind.filter(({ parameter }) => values[parameter] !== undefined).length}>
          {behind.map((filter) =>
            input(filter, { label: filter.name, comboboxProps: { keepMounted: false, withinPortal: false } }),
          )}
          {isNarrow && others}
          {isNarrow && columnChoice !== undefined && <ColumnFields choice={columnChoice} />}
        </FilterPopover>
      )}
      {!isNarrow && others}
      {!isNarrow && columnChoice !== undefined && <ColumnMenu choice={columnChoice} />}
    </FilterBar>
  );
}

/** Milliseconds for which "Back" finds the loaded pages again. */
const KEPT_MS = 3_600_000;

interface Page<Row> {
  items?: readonly Row[];
  /** Missing for a list that is not counted. */
  total?: number;
  nextCursor?: string | null;
}

/**
 * Pages of a list, with the total of all, without the rows whose deletion can be undone.
 * @param key of the procedure with its input
 * @param load `skipToken` for a list that is not shown
 * @param max rows of a sample
 */
export function usePages<Row extends { uniqueId: string }>(
  key: QueryKey,
  load: LoadPage<Page<Row>> | SkipToken,
  max = Infinity,
) {
  const query = useInfiniteQuery({
    ...pagesOptions(key, load),
    // The rows of before are no sample, even for a moment.
    ...(max === Infinity && { placeholderData: keepPreviousData }),
    gcTime: KEPT_MS,
  });
  const { data, fetchNextPage } = query;
  const hidden = useHidden();
  const rowsOf = (pages: typeof data): readonly Row[] =>
    pages?.pages.flatMap(({ items = [] }) => items).slice(0, max) ?? [];
  const loaded = rowsOf(data);
  const hasNextPage = query.hasNextPage && loaded.length < max;
  const loadMore = useLoadMore({ ...query, hasNextPage });
  const rows = loaded.filter(({ uniqueId }) => !hidden.has(uniqueId));
  const total = data?.pages[0]?.total;
  const without = (count: number) => count - (loaded.length - rows.length);
  const loadNext = async () => rowsOf((await fetchNextPage({ throwOnError: true, cancelRefetch: false })).data);
  return {
    error: query.error,
    refetch: query.refetch,
    rows: data === undefined ? undefined : rows,
    total: total === undefined ? undefined : without(Math.min(total, max)),
    /** Number of rows that match, also those that a sample leaves out. */
    matching: total === undefined ? undefined : without(total),
    /** Loads the next page; undefined if there is none. */
    loadMore,
    /** The same for the page of a record, which waits for it. Resolves to the rows that are loaded then. */
    loadNext: hasNextPage ? loadNext : undefined,
    /** Loads all pages. @returns their rows */
    loadAll: async (): Promise<readonly Row[]> => {
      let result = await fetchNextPage({ throwOnError: true });
      while (result.hasNextPage && rowsOf(result.data).length < max)
        result = await fetchNextPage({ throwOnError: true });
      return rowsOf(result.data);
    },
  };
}
