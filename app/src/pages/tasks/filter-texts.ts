import type { Outputs } from '../../api/client.ts';
import { evidenceFilterText } from '../../components/evidence/start/filter.ts';
import { textIn } from '../../components/table/filters/options.ts';
import type { Options } from '../../components/table/filters/options.ts';
import type { Filter } from '../../components/table/set-filters.ts';
import { membersText } from '../../components/person/member-filter.ts';
import type { Member } from '../../components/person/use-members.ts';
import { statusOptions } from '../../components/status-dot.tsx';
import { TASK_STATUSES, priorityOptions, referenceOptions } from '../../components/task/choices.ts';
import type { VendorName } from '../../components/vendor/use-vendor-names.ts';
import { dateText } from '../../dates.ts';
import { DUE_OPTIONS } from './use-filters.ts';
import type { FilterName } from './use-filters.ts';

export const statusChoices: Options = [{ value: 'open', label: 'Open' }, ...statusOptions(TASK_STATUSES)];

/** Options, with the current value of the URL even if it is a list. */
export const withCurrent = (options: Options, value: string | undefined): Options =>
  value === undefined || options.some((option) => option.value === value)
    ? options
    : [...options, { value, label: textIn(options)(value) }];

/** A date of the URL, which may be malformed. */
const dateOf = (value: string) => (Number.isNaN(Date.parse(value)) ? value : dateText(value));

export interface References {
  frameworks: Outputs['framework']['list'];
  departments: Outputs['department']['list'];
  members: readonly Member[];
  /** The vendor of the filter. */
  vendors: readonly VendorName[];
}

/** The filters of the tasks, as people read them. */
export const taskFilters = ({
  frameworks,
  departments,
  members,
  vendors,
}: References): readonly Filter<FilterName>[] => [
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
