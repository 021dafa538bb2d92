import { Button, Menu, NativeSelect, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { EVIDENCE_OPTIONS, evidenceFilterText } from '../../components/evidence/filter.ts';
import { membersText } from '../../components/person/member-filter.ts';
import { MemberSelect } from '../../components/person/member-select.tsx';
import { useMembers } from '../../components/person/use-members.ts';
import type { Member } from '../../components/person/use-members.ts';
import { statusOptions, statusText } from '../../components/status-dot.tsx';
import { FilterBar } from '../../components/table/filter-bar.tsx';
import { FilterPopover } from '../../components/table/filter-popover.tsx';
import { textIn } from '../../components/table/options.ts';
import type { Options } from '../../components/table/options.ts';
import { SearchField } from '../../components/table/search-field.tsx';
import { setFiltersOf } from '../../components/table/set-filters.ts';
import type { Filter } from '../../components/table/set-filters.ts';
import {
  CONTRACT_OPTIONS,
  criticalityOptions,
  REVIEW_OPTIONS,
  VENDOR_STATUSES,
} from '../../components/vendor/choices.ts';
import { DEFAULT_SORT, NO_FILTERS, SORT_OPTIONS } from './use-filters.ts';
import type { FilterName, FilterValues, SetFilters } from './use-filters.ts';

interface SeveralMenuProps {
  /** Name of the filter. */
  label: string;
  options: Options;
  /** Chosen values, separated by commas. */
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** A filter with several values, which a person checks in a menu. */
const SeveralMenu = ({ label, options, value, onChange }: SeveralMenuProps) => (
  <Menu withInitialFocusPlaceholder={false} position="bottom-start" shadow="md" closeOnItemClick={false}>
    <Menu.Target>
      <Button variant="default">{label}</Button>
    </Menu.Target>
    <Menu.Dropdown>
      <Menu.CheckboxGroup
        value={value?.split(',') ?? []}
        onChange={(chosen) =>
          onChange(
            options
              .map((option) => option.value)
              .filter((one) => chosen.includes(one))
              .join(),
          )
        }
      >
        {options.map((option) => (
          <Menu.CheckboxItem key={option.value} value={option.value}>
            {option.label}
          </Menu.CheckboxItem>
        ))}
      </Menu.CheckboxGroup>
    </Menu.Dropdown>
  </Menu>
);

interface FiltersProps {
  total: number | undefined;
  values: FilterValues;
  onChange: SetFilters;
  /** True under a dialog, whose fields have the same names. */
  isCovered: boolean;
  /** Button that chooses the columns. */
  columnMenu: ReactNode;
}

const CRITICALITY_OPTIONS = criticalityOptions.map(({ value, label }) => ({ value: String(value), label }));
const LABEL_DELAY_MS = 300;

/** The filters of the vendors, as people read them. */
const vendorFilters = (members: readonly Member[]): readonly Filter<FilterName>[] => [
  { parameter: 'q', name: 'Search' },
  { parameter: 'status', name: 'Status', textOf: statusText },
  { parameter: 'criticality', name: 'Criticality', textOf: textIn(CRITICALITY_OPTIONS) },
  { parameter: 'owner', name: 'Owner', textOf: membersText(members) },
  { parameter: 'review', name: 'Review', textOf: textIn(REVIEW_OPTIONS) },
  { parameter: 'contract', name: 'Contract', textOf: textIn(CONTRACT_OPTIONS) },
  { parameter: 'label', name: 'Label' },
  { parameter: 'evidence', name: 'Evidence', textOf: evidenceFilterText },
];

/** The filters that are set, for the empty state of the list. */
export const isFiltered = (values: FilterValues): boolean =>
  vendorFilters([]).some(({ parameter }) => values[parameter] !== undefined);

export function Filters({ total, values, onChange, isCovered, columnMenu }: FiltersProps) {
  const { members } = useMembers();
  const { owner } = values;
  return (
    <FilterBar
      total={total}
      unit={['vendor', 'vendors']}
      filters={setFiltersOf(vendorFilters(members), values, (parameter) => onChange({ [parameter]: undefined }))}
      onClear={() => onChange(NO_FILTERS)}
    >
      <SearchField label="Search vendors" value={values.q} onChange={(q) => onChange({ q })} />
      <NativeSelect
        aria-label="Status"
        size="xs"
        w={120}
        data={[{ value: '', label: 'Any status' }, ...statusOptions(VENDOR_STATUSES)]}
        value={values.status ?? ''}
        onChange={({ currentTarget }) => onChange({ status: currentTarget.value })}
      />
      <SeveralMenu
        label="Criticality"
        options={CRITICALITY_OPTIONS}
        value={values.criticality}
        onChange={(criticality) => onChange({ criticality })}
      />
      <MemberSelect
        {...(!isCovered && { 'aria-label': 'Owner' })}
        placeholder="Any owner"
        size="xs"
        w={140}
        clearable
        withEnded
        value={owner ?? null}
        current={owner?.includes(',') === true ? { uniqueId: owner, name: membersText(members)(owner) } : null}
        onChange={(one) => onChange({ owner: one ?? undefined })}
      />
      <NativeSelect
        aria-label="Review"
        size="xs"
        w={160}
        data={[{ value: '', label: 'Any review' }, ...REVIEW_OPTIONS]}
        value={values.review ?? ''}
        onChange={({ currentTarget }) => onChange({ review: currentTarget.value })}
      />
      <MoreFilters values={values} onChange={onChange} />
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

const MORE = ['contract', 'evidence', 'label'] as const;
const IN_POPOVER = {
  size: 'xs',
  comboboxProps: { keepMounted: false, withinPortal: false },
  clearable: true,
} as const;

function MoreFilters({ values, onChange }: Pick<FiltersProps, 'values' | 'onChange'>) {
  const changeLabel = useDebouncedCallback((label: string) => onChange({ label }), LABEL_DELAY_MS);
  return (
    <FilterPopover count={MORE.filter((name) => values[name] !== undefined).length}>
      <Select
        {...IN_POPOVER}
        label="Contract"
        placeholder="Any contract"
        data={CONTRACT_OPTIONS}
        value={values.contract ?? null}
        onChange={(contract) => onChange({ contract: contract ?? undefined })}
      />
      <Select
        {...IN_POPOVER}
        label="Evidence"
        placeholder="Any evidence"
        data={EVIDENCE_OPTIONS}
        value={values.evidence ?? null}
        onChange={(evidence) => onChange({ evidence: evidence ?? undefined })}
      />
      <TextInput
        size="xs"
        label="Label"
        placeholder="Any label"
        defaultValue={values.label ?? ''}
        onChange={({ currentTarget }) => changeLabel(currentTarget.value.trim())}
      />
    </FilterPopover>
  );
}
