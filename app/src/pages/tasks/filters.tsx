import { NativeSelect, SegmentedControl, Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { FilterBar } from '../../components/table/filter-bar.tsx';
import { SearchField } from '../../components/table/search-field.tsx';
import { setFiltersOf } from '../../components/table/set-filters.ts';
import { membersText } from '../../components/person/member-filter.ts';
import { MemberSelect } from '../../components/person/member-select.tsx';
import { referenceOptions } from '../../components/task/choices.ts';
import { statusChoices, taskFilters, withCurrent } from './filter-texts.ts';
import type { References } from './filter-texts.ts';
import { MoreFilters } from './more-filters.tsx';
import { NO_FILTERS, SORT_OPTIONS } from './use-filters.ts';
import type { FilterName, FilterValues, SetFilters } from './use-filters.ts';

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
        data={withCurrent([ALL_FRAMEWORKS, ...referenceOptions(frameworks, { withArchived: true })], values.framework)}
        value={values.framework ?? ALL_FRAMEWORKS.value}
        onChange={(id) => onChange({ framework: id ?? undefined })}
      />
      <Select
        aria-label={isCovered ? undefined : 'Status'}
        placeholder="Any status"
        size="xs"
        w={120}
        clearable
        data={withCurrent(statusChoices, values.status)}
        value={values.status ?? null}
        onChange={(status) => onChange({ status: status ?? undefined })}
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
        hiddenFrom="sm"
        data={SORT_OPTIONS}
        value={values.sort ?? ''}
        onChange={({ currentTarget }) => onChange({ sort: currentTarget.value })}
      />
      {columnMenu}
    </FilterBar>
  );
}
