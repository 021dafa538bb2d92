import { Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorMessage } from '../../../components/error-message.tsx';
import type { Member } from '../../../components/person/use-members.ts';
import { DataTable } from '../../../components/table/data-table.tsx';
import type { Column } from '../../../components/table/data-table.tsx';
import { openTasksOf, useOpenTasksByFramework } from './open-tasks.ts';

interface Owned {
  framework: { id: number; name: string; archived: boolean };
  total: number;
}

const columns = (assignee: string): readonly Column<Owned>[] => [
  {
    id: 'framework',
    header: 'Framework',
    className: 'title',
    render: ({ framework: { id, name, archived } }) => (
      <Link to="/tasks" search={{ ...openTasksOf(assignee), framework: String(id) }}>
        {archived ? `${name} (archived)` : name}
      </Link>
    ),
  },
  {
    id: 'total',
    header: 'Open tasks',
    width: 110,
    className: 'align-end',
    render: ({ total }) => total.toLocaleString('en'),
  },
];

/** The open tasks of a member by framework, with links to their lists. */
export function OwnedTasks({ member: { uniqueId, name } }: { member: Member }) {
  const { rows, error } = useOpenTasksByFramework(uniqueId);
  return (
    <section aria-labelledby="owned-tasks">
      <Title order={2} id="owned-tasks" mb="xs">
        Open tasks
      </Title>
      {error === null ? (
        <DataTable
          label="Open tasks by framework"
          columns={columns(uniqueId)}
          rows={rows}
          rowKey={({ framework }) => String(framework.id)}
          empty={<EmptyState text={`${name} has no open task.`} />}
        />
      ) : (
        <ErrorMessage title="The open tasks could not be counted" error={error} />
      )}
    </section>
  );
}
