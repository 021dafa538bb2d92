import { Select } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { InfiniteData } from '@tanstack/react-query';
import { client, trpc } from '../../api/client.ts';
import type { Inputs, Outputs } from '../../api/client.ts';
import { pagesKey } from '../../api/pages.ts';
import { countColumn, evidenceFilter } from '../../components/evidence/list.tsx';
import { memberFilter } from '../../components/person/member-select.tsx';
import { Person } from '../../components/person/person.tsx';
import { nameIn } from '../../components/person/use-members.ts';
import type { Member } from '../../components/person/use-members.ts';
import { StatusDot, statusOptions } from '../../components/status-dot.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import {
  linked,
  dayFilter,
  oneOf,
  oneReference,
  searchFilter,
  severalOf,
  textFilter,
  textIn,
} from '../../components/table/filters.tsx';
import type { Filter, FilterInputProps, Filters, Options } from '../../components/table/filters.tsx';
import { usePages } from '../../components/table/list.tsx';
import type { ListedTask } from '../../components/task/batch.ts';
import { priorityOptions, referenceOptions, TASK_STATUSES } from '../../components/task/choices.ts';
import { DueDate } from '../../components/task/due-date.tsx';
import { Priority } from '../../components/task/priority.tsx';
import { Time } from '../../components/time.tsx';
import { withoutRepeats } from '../../components/record/name-store.ts';
import type { Named } from '../../components/record/name-store.ts';
import { useVendorSearch } from '../../components/vendor/names.ts';
import { dateText } from '../../dates.ts';

type ListInput = Inputs['task']['listAll'];
type TaskQuery = Omit<
  ListInput,
  'limit' | 'cursor' | 'sort' | 'seed' | 'updatedSince' | 'closedAfter' | 'closedBefore'
>;
/** Filters and order of a list of tasks. */
export type TaskFilters = Omit<ListInput, 'limit' | 'cursor'>;
export type TaskList = Outputs['task']['listAll'];
export type TaskPages = InfiniteData<TaskList, string | null>;

/** Key of the pages of a list. @param limit tasks of a page */
export const taskPagesKey = (filters: TaskFilters, limit: number) =>
  pagesKey(trpc.task.listAll.queryKey({ ...filters, limit }));

/** Pages of tasks of all frameworks, with the total of all. */
export const useTaskPages = (filters: TaskFilters, limit: number) =>
  usePages<ListedTask>(trpc.task.listAll.queryKey({ ...filters, limit }), (position, options) =>
    client.task.listAll.query({ ...filters, limit, ...position }, options),
  );

/** The orders as people read them. */
export const TASK_SORTS: Options<NonNullable<ListInput['sort']>> = [
  { value: 'dueDate', label: 'Due date, first to last' },
  { value: '-dueDate', label: 'Due date, last to first' },
  { value: '-createdAt', label: 'Newest first' },
  { value: 'createdAt', label: 'Oldest first' },
  { value: '-updatedAt', label: 'Last updated first' },
  { value: 'priority', label: 'Urgent first' },
];

interface References {
  frameworks: Outputs['framework']['list'];
  departments: Outputs['department']['list'];
  members: readonly Member[];
  /** uniqueId of the person who reads. */
  own: string;
  /** The vendor of the filter. */
  vendors: readonly Named[];
  /** The requirement of the filter. */
  requirements: readonly Named[];
}

/** A date of the URL, which may be malformed. */
const dateOf = (value: string) => (Number.isNaN(Date.parse(value)) ? value : dateText(value));

/** The filters of the tasks. */
export function taskFilters({
  frameworks,
  departments,
  members,
  own,
  vendors,
  requirements,
}: References): Filters<TaskQuery> {
  const departmentOptions = referenceOptions(departments, { withArchived: true });
  return {
    q: searchFilter('Search tasks'),
    framework: {
      ...oneReference('Framework', 'All frameworks', referenceOptions(frameworks, { withArchived: true })),
      width: 150,
    },
    status: {
      ...severalOf('Status', 'Any status', [{ value: 'open', label: 'Open' }, ...statusOptions(TASK_STATUSES)]),
      width: 140,
    },
    assignee: { ...memberFilter('Assignee', 'Any assignee', { members, own }), width: 150 },
    due: oneOf('Due', 'Any time', [
      { value: 'overdue', label: 'Overdue' },
      { value: 'week', label: 'This week' },
      { value: 'none', label: 'No due date' },
    ]),
    evidence: evidenceFilter,
    priority: oneReference('Priority', 'Any priority', priorityOptions),
    departmentId: { ...oneReference('Department', 'Any department', departmentOptions), read: Number },
    vendor: vendorFilter(vendors),
    requirement: linked('Requirement', textIn([{ value: 'none', label: 'None' }, ...namedOptions(requirements)])),
    label: textFilter('Label', 'Any label'),
    dueAfter: dayFilter('Due from', { textOf: dateOf }),
    dueBefore: dayFilter('Due until', { textOf: dateOf }),
  };
}

const namedOptions = (records: readonly Named[]) =>
  records.map(({ uniqueId, name = '…' }) => ({ value: uniqueId, label: name }));

/** A filter by vendor, which is found by name. */
const vendorFilter = (vendors: readonly Named[]): Filter<string> => ({
  name: 'Vendor',
  read: (uniqueId) => uniqueId,
  textOf: textIn(namedOptions(vendors)),
  input: (props) => <VendorSelect {...props} current={vendors.find(({ uniqueId }) => uniqueId === props.value)} />,
});

function VendorSelect({ current, onChange, frame }: FilterInputProps & { current: Named | undefined }) {
  const { found, isLoaded, setText, use } = useVendorSearch();
  const chosen = current === undefined ? [] : [{ value: current.uniqueId, label: current.name ?? '…' }];
  const options = withoutRepeats([...chosen, ...found]);
  return (
    <Select
      {...frame}
      placeholder="Any vendor"
      data={options}
      value={current?.uniqueId ?? null}
      onChange={(uniqueId) => onChange(uniqueId ?? undefined)}
      allowDeselect={false}
      clearable
      searchable
      // The text of a choice searches for nothing.
      onSearchChange={(typed) => setText(options.some(({ label }) => label === typed) ? '' : typed)}
      onFocus={use}
      {...(isLoaded && { nothingFoundMessage: 'No vendor has this name.' })}
    />
  );
}

const nameOfId = (rows: readonly { id: number; name: string }[], id: number) => rows.find((row) => row.id === id)?.name;

/** The columns of the tasks. */
export const taskColumns = ({
  frameworks,
  departments,
  members,
}: Pick<References, 'frameworks' | 'departments' | 'members'>): readonly Column<ListedTask>[] => [
  {
    id: 'title',
    header: 'Title',
    className: 'title',
    render: ({ uniqueId, title }) => (
      <Link to="/tasks/$taskUniqueId" params={{ taskUniqueId: uniqueId }} title={title} dir="auto">
        {title}
      </Link>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    width: 140,
    leaves: 10,
    line: 3,
    render: ({ status }) => <StatusDot status={status} />,
  },
  {
    id: 'priority',
    header: 'Priority',
    width: 100,
    leaves: 6,
    sorts: ['priority'],
    render: ({ priority }) => <Priority priority={priority} />,
  },
  {
    id: 'assignee',
    header: 'Assignee',
    width: 135,
    leaves: 9,
    line: 2,
    render: ({ assignee }) => assignee !== null && <Person name={assignee.name} label={nameIn(members, assignee)} />,
  },
  {
    id: 'dueDate',
    header: 'Due date',
    width: 160,
    leaves: 11,
    line: 1,
    sorts: ['dueDate', '-dueDate'],
    render: (task) => <DueDate task={task} />,
  },
  {
    id: 'framework',
    header: 'Framework',
    width: 120,
    leaves: 5,
    render: ({ framework }) => {
      const name = nameOfId(frameworks, framework);
      return (
        <span className="name" title={name}>
          {name ?? framework}
        </span>
      );
    },
  },
  {
    id: 'departmentId',
    header: 'Department',
    width: 140,
    leaves: 4,
    render: ({ departmentId }) => {
      const name = departmentId === null ? undefined : nameOfId(departments, departmentId);
      return (
        <span className="name" title={name}>
          {name ?? departmentId}
        </span>
      );
    },
  },
  countColumn(3, ({ evidenceCount }) => evidenceCount),
  {
    id: 'updatedAt',
    header: 'Updated',
    width: 130,
    leaves: 2,
    sorts: ['-updatedAt'],
    render: ({ updatedAt }) => <Time value={updatedAt} />,
  },
  {
    id: 'createdAt',
    header: 'Created',
    width: 130,
    leaves: 1,
    isOptional: true,
    sorts: ['-createdAt', 'createdAt'],
    render: ({ createdAt }) => <Time value={createdAt} />,
  },
];
