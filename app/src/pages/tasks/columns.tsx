import { Link } from '@tanstack/react-router';
import { Time } from '../../components/time.tsx';
import { Person } from '../../components/person/person.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { DueDate } from '../../components/task/due-date.tsx';
import { Priority } from '../../components/task/priority.tsx';
import { countColumn } from '../../components/evidence/start/count-column.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import type { ListedTask } from './use-task-pages.ts';

/** Names by id. */
type Names = ReadonlyMap<number, string>;

/** Id of the column that a list of one framework lacks. */
export const FRAMEWORK_COLUMN = 'framework';

export const columns = (frameworks: Names, departments: Names): readonly Column<ListedTask>[] => [
  {
    id: 'title',
    header: 'Title',
    className: 'title',
    render: ({ uniqueId, title }) => (
      <Link to="/tasks/$taskUniqueId" params={{ taskUniqueId: uniqueId }}>
        {title}
      </Link>
    ),
  },
  { id: 'status', header: 'Status', width: 140, render: ({ status }) => <StatusDot status={status} /> },
  {
    id: 'priority',
    header: 'Priority',
    width: 100,
    leaves: 8,
    sorts: ['priority'],
    render: ({ priority }) => <Priority priority={priority} />,
  },
  {
    id: 'assignee',
    header: 'Assignee',
    width: 150,
    leaves: 6,
    render: ({ assignee }) => assignee !== null && <Person name={assignee.name} />,
  },
  {
    id: 'dueDate',
    header: 'Due date',
    width: 160,
    leaves: 7,
    sorts: ['dueDate', '-dueDate'],
    render: (task) => <DueDate task={task} />,
  },
  {
    id: FRAMEWORK_COLUMN,
    header: 'Framework',
    width: 120,
    leaves: 5,
    render: ({ framework }) => (
      <span className="name" title={frameworks.get(framework)}>
        {frameworks.get(framework) ?? framework}
      </span>
    ),
  },
  {
    id: 'departmentId',
    header: 'Department',
    width: 140,
    leaves: 4,
    render: ({ departmentId }) => (departmentId === null ? null : (departments.get(departmentId) ?? departmentId)),
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
