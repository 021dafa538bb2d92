import { MultiSelect, NativeSelect, SegmentedControl, Select, TextInput } from '@mantine/core';
import type { SelectProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import type { ReactNode } from 'react';
import type { Outputs } from '../../api/client.ts';
import { EVIDENCE_OPTIONS, evidenceFilterText } from '../../components/evidence/filter.ts';
import { membersText } from '../../components/person/member-filter.ts';
import { MemberSelect } from '../../components/person/member-select.tsx';
import type { Member } from '../../components/person/use-members.ts';
import { statusOptions } from '../../components/status-dot.tsx';
import { FilterBar } from '../../components/table/filter-bar.tsx';
import { FilterPopover } from '../../components/table/filter-popover.tsx';
import { textIn } from '../../components/table/options.ts';
import type { Options } from '../../components/table/options.ts';
import { SearchField } from '../../components/table/search-field.tsx';
import { setFiltersOf } from '../../components/table/set-filters.ts';
import type { Filter } from '../../components/table/set-filters.ts';
import { priorityOptions, referenceOptions, TASK_STATUSES } from '../../components/task/choices.ts';
import type { VendorName } from '../../components/vendor/names.ts';
import { useVendorSearch, withoutRepeats } from '../../components/vendor/names.ts';
import { dateText } from '../../dates.ts';
import { DEFAULT_SORT, DUE_OPTIONS, NO_FILTERS, SORT_OPTIONS } from './use-filters.ts';
import type { FilterName, FilterValues, SetFilters } from './use-filters.ts';

/** What the filter by status shows in place of a mark for each. */
const statusesText = (statuses: readonly string[]): string =>
  statuses.length > 1
    ? `${statuses.length} statuses`
    : (statusChoices.find(({ value }) => value === statuses[0])?.label ?? 'Any status');

const statusChoices: Options = [{ value: 'open', label: 'Open' }, ...statusOptions(TASK_STATUSES)];

/** Options, with the current value of the URL even if it is a list. */
const withCurrent = (options: Options, value: string | undefined): Options =>
  value === undefined || options.some((option) => option.value === value)
    ? options
    : [...options, { value, label: textIn(options)(value) }];

/** A date of the URL, which may be malformed. */
const dateOf = (value: string) => (Number.isNaN(Date.parse(value)) ? value : dateText(value));

interface References {
  frameworks: Outputs['framework']['list'];
  departments: Outputs['department']['list'];
  members: readonly Member[];
  /** The vendor of the filter. */
  vendors: readonly VendorName[];
}

/** The filters of the tasks, as people read them. */
const taskFilters = ({ frameworks, departments, members, vendors }: References): readonly Filter<FilterName>[] => [
  { parameter: 'q', name: 'Search' },
  {
    parameter: 'framework',
    name: 'Framework',
    textOf: textIn(referenceOptions(frameworks, { withArchived: true })),
  },
  { parameter: 'status', name: 'Status', textOf: textIn(statusChoices) },
  { parameter: 'assignee', name: 'Assignee', textOf: membersText(members) },
  { parameter: 'due', name: 'Due', textOf: textIn(DUE_OPTIONS) },
  { parameter: 'evidence', name: 'Evidence', textOf: evidenceFilterText },
  { parameter: 'priority', name: 'Priority', textOf: textIn(priorityOptions) },
  {
    parameter: 'departmentId',
    name: 'Department',
    textOf: textIn(referenceOptions(departments, { withArchived: true })),
  },
  {
    parameter: 'vendor',
    name: 'Vendor',
    textOf: textIn(vendors.map(({ uniqueId, name = '…' }) => ({ value: uniqueId, label: name }))),
  },
  { parameter: 'label', name: 'Label' },
  { parameter: 'dueAfter', name: 'Due from', textOf: dateOf },
  { parameter: 'dueBefore', name: 'Due until', textOf: dateOf },
];

interface VendorSelectProps extends Pick<
  SelectProps,
  'label' | 'placeholder' | 'size' | 'clearable' | 'comboboxProps'
> {
  /** The chosen vendor; undefined for none. */
  current: VendorName | undefined;
  onChange: (uniqueId: string | null) => void;
}

/** One vendor, found by name. */
function VendorSelect({ current, onChange, ...rest }: VendorSelectProps) {
  const { found, isLoaded, setText, use } = useVendorSearch();
  const chosen = current === undefined ? [] : [{ value: current.uniqueId, label: current.name ?? '…' }];
  const options = withoutRepeats([...chosen, ...found]);
  return (
    <Select
      {...rest}
      data={options}
      value={current?.uniqueId ?? null}
      onChange={onChange}
      allowDeselect={false}
      searchable
      // The text of a choice searches for nothing.
      onSearchChange={(text) => setText(options.some(({ label }) => label === text) ? '' : text)}
      onFocus={use}
      {...(isLoaded && { nothingFoundMessage: 'No vendor has this name.' })}
    />
  );
}

interface MoreFiltersProps {
  departments: Outputs['department']['list'];
  vendors: readonly VendorName[];
  values: FilterValues;
  onChange: SetFilters;
}

const MORE = ['due', 'evidence', 'priority', 'departmentId', 'vendor', 'label', 'dueAfter', 'dueBefore'] as const;
const DELAY_MS = 300;

/** The filters that are used less often, behind a button. */
function MoreFilters({ departments, vendors, values, onChange }: MoreFiltersProps) {
  const count = MORE.filter((name) => values[name] !== undefined).length;
  const changeLabel = useDebouncedCallback((label: string) => onChange({ label }), DELAY_MS);
  const inPopover = {
    size: 'xs',
    comboboxProps: { keepMounted: false, withinPortal: false },
    clearable: true,
  } as const;
  return (
    <FilterPopover count={count}>
      <Select
        {...inPopover}
        label="Due"
        placeholder="Any time"
        data={DUE_OPTIONS}
        value={values.due ?? null}
        onChange={(due) => onChange({ due: due ?? undefined })}
      />
      <Select
        {...inPopover}
        label="Evidence"
        placeholder="Any evidence"
        data={EVIDENCE_OPTIONS}
        value={values.evidence ?? null}
        onChange={(evidence) => onChange({ evidence: evidence ?? undefined })}
      />
      <Select
        {...inPopover}
        label="Priority"
        placeholder="Any priority"
        data={withCurrent(priorityOptions, values.priority)}
        value={values.priority ?? null}
        onChange={(priority) => onChange({ priority: priority ?? undefined })}
      />
      <Select
        {...inPopover}
        label="Department"
        placeholder="Any department"
        data={referenceOptions(departments, { withArchived: true })}
        value={values.departmentId ?? null}
        onChange={(id) => onChange({ departmentId: id ?? undefined })}
      />
      <VendorSelect
        {...inPopover}
        label="Vendor"
        placeholder="Any vendor"
        current={vendors.find(({ uniqueId }) => uniqueId === values.vendor)}
        onChange={(vendor) => onChange({ vendor: vendor ?? undefined })}
      />
      <TextInput
        size="xs"
        label="Label"
        placeholder="Any label"
        defaultValue={values.label ?? ''}
        onChange={({ currentTarget }) => changeLabel(currentTarget.value.trim())}
      />
      <TextInput
        size="xs"
        type="date"
        label="Due from"
        value={values.dueAfter ?? ''}
        onChange={({ currentTarget }) => onChange({ dueAfter: currentTarget.value })}
      />
      <TextInput
        size="xs"
        type="date"
        label="Due until"
        value={values.dueBefore ?? ''}
        onChange={({ currentTarget }) => onChange({ dueBefore: currentTarget.value })}
      />
    </FilterPopover>
  );
}

interface FiltersProps {
  total: number | undefined;
  references: References;
  values: FilterValues;
  onChange: SetFilters;
  /** True under a dialog, whose fields have the same names. */
  isCovered: boolean;
  /** Button that chooses the columns; missing on the board. */
  columnMenu: ReactNode;
}

const ALL_FRAMEWORKS = { value: '', label: 'All frameworks' };
const VIEWS = [
  { value: 'table', label: 'Table' },
  { value: 'board', label: 'Board' },
];

export function Filters(props: FiltersProps) {
  const { total, references, values, onChange, isCovered, columnMenu } = props;
  const { frameworks, departments, members, vendors } = references;
  const { assignee } = values;
  const statuses = values.status?.split(',') ?? [];
  const remove = (parameter: FilterName) => onChange({ [parameter]: undefined });
  return (
    <FilterBar
      total={total}
      unit={['task', 'tasks']}
      filters={setFiltersOf(taskFilters(references), values, remove)}
      onClear={() => onChange(NO_FILTERS)}
    >
      <SearchField label="Search tasks" value={values.q} onChange={(q) => onChange({ q })} />
      <Select
        aria-label={isCovered ? undefined : 'Framework'}
        placeholder="Framework"
        size="xs"
        w={150}
        allowDeselect={false}
        searchable
        data={withCurrent([ALL_FRAMEWORKS, ...referenceOptions(frameworks, { withArchived: true })], values.framework)}
        value={values.framework ?? ALL_FRAMEWORKS.value}
        onChange={(id) => onChange({ framework: id ?? undefined })}
      />
      <MultiSelect
        {...(!isCovered && { 'aria-label': 'Status' })}
        placeholder={statusesText(statuses)}
        size="xs"
        w={140}
        className="counted-select"
        data={statusChoices}
        value={statuses}
        onChange={(chosen) => onChange({ status: chosen.join() || undefined })}
      />
      <MemberSelect
        {...(!isCovered && { 'aria-label': 'Assignee' })}
        placeholder="Any assignee"
        size="xs"
        w={150}
        clearable
        withEnded
        value={assignee ?? null}
        current={assignee?.includes(',') === true ? { uniqueId: assignee, name: membersText(members)(assignee) } : null}
        onChange={(one) => onChange({ assignee: one ?? undefined })}
      />
      <MoreFilters departments={departments} vendors={vendors} values={values} onChange={onChange} />
      <SegmentedControl
        size="xs"
        aria-label="View"
        data={VIEWS}
        value={values.view === 'board' ? 'board' : 'table'}
        onChange={(view) => onChange({ view: view === 'board' ? view : undefined })}
      />
      {/* A narrow table has few headers to click. */}
      <NativeSelect
        aria-label="Order"
        size="xs"
        hiddenFrom="lg"
        data={SORT_OPTIONS}
        value={values.sort ?? DEFAULT_SORT}
        onChange={({ currentTarget: { value } }) => onChange({ sort: value === DEFAULT_SORT ? undefined : value })}
      />
      {columnMenu}
    </FilterBar>
  );
}
