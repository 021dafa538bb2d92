import { Link } from '@tanstack/react-router';
import { Time } from '../../components/time.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { DueDate } from '../../components/task/due-date.tsx';
import { Priority } from '../../components/task/priority.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import type { ListedTask } from './use-task-pages.ts';

export const columns = (departments: ReadonlyMap<number, string>): readonly Column<ListedTask>[] => [
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
    leaves: 5,
    sorts: ['priority'],
    render: ({ priority }) => <Priority priority={priority} />,
  },
  {
    id: 'dueDate',
    header: 'Due date',
    width: 160,
    leaves: 4,
    sorts: ['dueDate', '-dueDate'],
    render: (task) => <DueDate task={task} />,
  },
  {
    id: 'departmentId',
    header: 'Department',
    width: 140,
    leaves: 3,
    render: ({ departmentId }) => (departmentId === null ? null : (departments.get(departmentId) ?? departmentId)),
  },
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
