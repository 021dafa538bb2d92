import type { Outputs } from '../../api/client.ts';
import type { Filter } from '../../components/table/set-filters.ts';
import { statusOptions } from '../../components/status-dot.tsx';
import { TASK_STATUSES, priorityOptions, referenceOptions } from '../../components/task/choices.ts';
import { dateText } from '../../dates.ts';
import type { FilterName } from './use-filters.ts';

type Options = readonly { value: string; label: string }[];

export const statusChoices: Options = [{ value: 'open', label: 'Open' }, ...statusOptions(TASK_STATUSES)];

/** A value of the URL as people read it, even if it is a list: "Todo, Done". */
const textIn = (options: Options) => (value: string) =>
  value
    .split(',')
    .map((part) => options.find((option) => option.value === part)?.label ?? part)
    .join(', ');

/** Options, with the current value of the URL even if it is a list. */
export const withCurrent = (options: Options, value: string | undefined): Options =>
  value === undefined || options.some((option) => option.value === value)
    ? options
    : [...options, { value, label: textIn(options)(value) }];

/** A date of the URL, which may be malformed. */
const dateOf = (value: string) => (Number.isNaN(Date.parse(value)) ? value : dateText(value));

/** The filters of the tasks, as people read them. */
export const taskFilters = (departments: Outputs['department']['list']): readonly Filter<FilterName>[] => [
  { parameter: 'q', name: 'Search' },
  { parameter: 'status', name: 'Status', textOf: textIn(statusChoices) },
  { parameter: 'priority', name: 'Priority', textOf: textIn(priorityOptions) },
  {
    parameter: 'departmentId',
    name: 'Department',
    textOf: textIn(referenceOptions(departments, { withArchived: true })),
  },
  { parameter: 'label', name: 'Label' },
  { parameter: 'dueAfter', name: 'Due from', textOf: dateOf },
  { parameter: 'dueBefore', name: 'Due until', textOf: dateOf },
];
