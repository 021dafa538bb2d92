import { Button, Popover, SegmentedControl, Select, Stack, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import IconFilter from '@tabler/icons-react/dist/esm/icons/IconAdjustmentsHorizontal.mjs';
import type { Outputs } from '../../api/client.ts';
import { FilterBar } from '../../components/table/filter-bar.tsx';
import { SearchField } from '../../components/table/search-field.tsx';
import { statusOptions, statusText } from '../../components/status-dot.tsx';
import { TASK_STATUSES, priorityOptions, referenceOptions } from '../../components/task/choices.ts';
import type { FilterValues, SetFilters } from './use-filters.ts';

interface FiltersProps {
  total: number | undefined;
  frameworks: Outputs['framework']['list'];
  departments: Outputs['department']['list'];
  framework: number | undefined;
  values: FilterValues;
  onChange: SetFilters;
  /** True under a dialog, whose fields have the same names. */
  isCovered: boolean;
}

const VIEWS = [
  { value: 'table', label: 'Table' },
  { value: 'board', label: 'Board' },
];

/** Options, with the current value of the URL even if it is a list: "Todo, Done". */
const withCurrent = (
  options: readonly { value: string; label: string }[],
  value: string | undefined,
  text: (part: string) => string,
) =>
  value === undefined || options.some((option) => option.value === value)
    ? options
    : [...options, { value, label: value.split(',').map(text).join(', ') }];

const OPEN = { value: 'open', label: 'Open' };
const labelOf = (options: readonly { value: string; label: string }[]) => (value: string) =>
  options.find((option) => option.value === value)?.label ?? value;

export function Filters(props: FiltersProps) {
  const { total, frameworks, framework, values, onChange, isCovered } = props;
  return (
    <FilterBar total={total} unit={['task', 'tasks']}>
      <SearchField label="Search tasks" value={values.q} onChange={(q) => onChange({ q })} />
      <Select
        aria-label={isCovered ? undefined : 'Framework'}
        placeholder="Framework"
        size="xs"
        w={170}
        allowDeselect={false}
        data={referenceOptions(frameworks, { withArchived: true })}
        value={framework === undefined ? null : String(framework)}
        onChange={(id) => onChange({ framework: id ?? undefined })}
      />
      <Select
        aria-label={isCovered ? undefined : 'Status'}
        placeholder="Any status"
        size="xs"
        w={140}
        clearable
        data={withCurrent([OPEN, ...statusOptions(TASK_STATUSES)], values.status, statusText)}
        value={values.status ?? null}
        onChange={(status) => onChange({ status: status ?? undefined })}
      />
      <MoreFilters {...props} />
      <SegmentedControl
        size="xs"
        aria-label="View"
        data={VIEWS}
        value={values.view === 'board' ? 'board' : 'table'}
        onChange={(view) => onChange({ view: view === 'board' ? view : undefined })}
      />
    </FilterBar>
  );
}

const MORE = ['priority', 'departmentId', 'label', 'dueAfter', 'dueBefore'] as const;
const DELAY_MS = 300;

function MoreFilters({ departments, values, onChange }: FiltersProps) {
  const count = MORE.filter((name) => values[name] !== undefined).length;
  const changeLabel = useDebouncedCallback((label: string) => onChange({ label }), DELAY_MS);
  const inPopover = {
    size: 'xs',
    comboboxProps: { keepMounted: false, withinPortal: false },
    clearable: true,
  } as const;
  return (
    <Popover width={260} position="bottom-start" trapFocus returnFocus>
      <Popover.Target>
        <Button variant="default" leftSection={<IconFilter size={14} aria-hidden />}>
          {count === 0 ? 'Filters' : `Filters (${count})`}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          <Select
            {...inPopover}
            label="Priority"
            placeholder="Any priority"
            data={withCurrent(priorityOptions, values.priority, labelOf(priorityOptions))}
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
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
