import { Link } from '@tanstack/react-router';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { DueDate } from '../../components/task/due-date.tsx';
import { Priority } from '../../components/task/priority.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import type { ListedTask } from './use-task-pages.ts';

export const columns = (departments: ReadonlyMap<number, string>): readonly Column<ListedTask>[] => [
  {
    id: 'title',
    header: 'Title',
    render: ({ uniqueId, title }) => (
      <Link to="/tasks/$taskUniqueId" params={{ taskUniqueId: uniqueId }}>
        {title}
      </Link>
    ),
  },
  { id: 'status', header: 'Status', width: '125px', render: ({ status }) => <StatusDot status={status} /> },
  {
    id: 'priority',
    header: 'Priority',
    width: '100px',
    className: 'wide-only',
    sorts: ['priority'],
    render: ({ priority }) => <Priority priority={priority} />,
  },
  {
    id: 'dueDate',
    header: 'Due date',
    width: '110px',
    className: 'wide-only',
    sorts: ['dueDate', '-dueDate'],
    render: (task) => <DueDate task={task} />,
  },
  {
    id: 'departmentId',
    header: 'Department',
    width: '130px',
    className: 'wide-only',
    render: ({ departmentId }) => (departmentId === null ? null : (departments.get(departmentId) ?? departmentId)),
  },
  {
    id: 'updatedAt',
    header: 'Updated',
    width: '110px',
    className: 'wide-only',
    sorts: ['-updatedAt'],
    render: ({ updatedAt }) => <RelativeTime value={updatedAt} />,
  },
  {
    id: 'createdAt',
    header: 'Created',
    width: '110px',
    className: 'wide-only',
    sorts: ['-createdAt', 'createdAt'],
    render: ({ createdAt }) => <RelativeTime value={createdAt} />,
  },
];
