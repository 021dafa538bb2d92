import { Anchor, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { trpc } from '../../api/client.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Page as Frame } from '../../components/page.tsx';
import { useColumns } from '../../components/table/use-columns.tsx';
import type { Task } from '../../components/task/choices.ts';
import { useSession } from '../../components/use-session.ts';
import { useShortcut } from '../../components/use-shortcut.ts';
import { Board } from './board/board.tsx';
import { columns } from './columns.tsx';
import { Filters } from './filters.tsx';
import { NewTaskDialog } from './new-task-dialog.tsx';
import { TaskTable } from './task-table.tsx';
import { useFilters } from './use-filters.ts';
import { useTaskPages } from './use-task-pages.ts';

const PAGE_SIZE = 100;

export function Page() {
  const { canWrite, isAdmin } = useSession();
  const [isCreating, setIsCreating] = useState(false);
  const [created, setCreated] = useState<Task>();
  const { values, setValues, frameworks, filters, isFiltered } = useFilters();
  const { data: departments = [] } = useQuery(trpc.department.list.queryOptions());
  const isBoard = values.view === 'board';
  const list = useTaskPages(filters, isBoard ? 1 : PAGE_SIZE);
  const hasFramework = frameworks.data?.some(({ archived }) => !archived) === true;
  const canCreate = canWrite && hasFramework;
  useShortcut('c', () => setIsCreating(canCreate));

  const newTask = canCreate && <Button onClick={() => setIsCreating(true)}>New task</Button>;
  const departmentNames = new Map(departments.map(({ id, name }) => [id, name]));
  const [shownColumns, columnMenu] = useColumns('tasks', columns(departmentNames));
  const error = frameworks.error ?? list.error;
  const isWithoutFramework = frameworks.data?.length === 0 && filters === undefined;

  const isEmpty = list.total === 0 && !isFiltered && !isBoard;

  return (
    <Frame title="Tasks" action={!isEmpty && newTask}>
      <Filters
        total={isWithoutFramework ? 0 : list.total}
        frameworks={frameworks.data ?? []}
        departments={departments}
        framework={filters?.framework}
        values={values}
        onChange={setValues}
        isCovered={isCreating}
        columnMenu={isBoard ? undefined : columnMenu}
      />
      {created !== undefined && <Created task={created} />}
      {error !== null && (
        <ErrorMessage
          title="The tasks could not be loaded"
          error={error}
          onRetry={() => void (frameworks.error === null ? list.refetch() : frameworks.refetch())}
        />
      )}
      {error === null && isWithoutFramework && <NoFramework canCreate={isAdmin} />}
      {error === null && !isWithoutFramework && isBoard && filters !== undefined && <Board filters={filters} />}
      {error === null && !isWithoutFramework && !isBoard && (
        <TaskTable
          list={list}
          columns={shownColumns}
          departments={departments}
          sort={filters?.sort}
          onSort={(sort) => setValues({ sort })}
          empty={
            isFiltered ? (
              <EmptyState text="No task matches these filters." />
            ) : (
              <EmptyState
                text="Tasks are the work that a framework requires."
                action={
                  canCreate && (
                    <>
                      {newTask} <Link to="/imports">Import a file</Link>
                    </>
                  )
                }
              />
            )
          }
        />
      )}
      <NewTaskDialog
        opened={isCreating}
        onClose={() => setIsCreating(false)}
        onCreated={(task) => {
          setCreated(task);
          setValues({ framework: String(task.framework) });
        }}
        frameworks={frameworks.data ?? []}
        departments={departments}
        framework={filters?.framework}
      />
    </Frame>
  );
}

/** Leads to the new task, which the filters may hide. */
const Created = ({ task: { uniqueId } }: { task: Task }) => (
  <Text size="sm" c="dimmed" mb="xs" role="status">
    The task was created.{' '}
    <Anchor
      size="sm"
      underline="always"
      renderRoot={(props) => <Link to="/tasks/$taskUniqueId" params={{ taskUniqueId: uniqueId }} {...props} />}
    >
      Open it
    </Anchor>
  </Text>
);

const NoFramework = ({ canCreate }: { canCreate: boolean }) => (
  <EmptyState
    text={`Each task belongs to a framework, and there is none yet. ${canCreate ? 'Create the first one.' : 'Ask an admin of the company to create one.'}`}
    action={canCreate && <Button renderRoot={(props) => <Link to="/frameworks" {...props} />}>Go to frameworks</Button>}
  />
);
