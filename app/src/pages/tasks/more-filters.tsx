import { Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import type { Outputs } from '../../api/client.ts';
import { priorityOptions, referenceOptions } from '../../components/task/choices.ts';
import { EVIDENCE_OPTIONS } from '../../components/evidence/start/filter.ts';
import { FilterPopover } from '../../components/table/filters/filter-popover.tsx';
import type { VendorName } from '../../components/vendor/use-vendor-names.ts';
import { VendorSelect } from '../../components/vendor/vendor-select.tsx';
import { withCurrent } from './filter-texts.ts';
import { DUE_OPTIONS } from './use-filters.ts';
import type { FilterValues, SetFilters } from './use-filters.ts';

interface MoreFiltersProps {
  departments: Outputs['department']['list'];
  vendors: readonly VendorName[];
  values: FilterValues;
  onChange: SetFilters;
}

const MORE = ['due', 'evidence', 'priority', 'departmentId', 'vendor', 'label', 'dueAfter', 'dueBefore'] as const;
const DELAY_MS = 300;

/** The filters that are used less often, behind a button. */
export function MoreFilters({ departments, vendors, values, onChange }: MoreFiltersProps) {
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
