import { Anchor, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { trpc } from '../../api/client.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Page as Frame } from '../../components/page.tsx';
import { useMembers } from '../../components/person/use-members.ts';
import { useColumns } from '../../components/table/use-columns.tsx';
import type { Task } from '../../components/task/choices.ts';
import { useSession } from '../../components/use-session.ts';
import { useShortcut } from '../../components/use-shortcut.ts';
import { useVendorNames } from '../../components/vendor/use-vendor-names.ts';
import { useCurrentView } from '../../components/views/use-views.ts';
import { ViewActions } from '../../components/views/view-actions.tsx';
import { Board } from './board/board.tsx';
import { FRAMEWORK_COLUMN, columns } from './columns.tsx';
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
  const { values, setValues, filters, isFiltered, isOfOneFramework } = useFilters();
  const frameworks = useQuery(trpc.framework.list.queryOptions());
  const { data: departments = [] } = useQuery(trpc.department.list.queryOptions());
  const { members } = useMembers();
  const vendors = useVendorNames(values.vendor === undefined ? [] : [values.vendor]);
  const { title = 'Tasks' } = useCurrentView('tasks', values);
  const isBoard = values.view === 'board';
  const list = useTaskPages(filters, isBoard ? 1 : PAGE_SIZE);
  const hasFramework = frameworks.data?.some(({ archived }) => !archived) === true;
  const canCreate = canWrite && hasFramework;
  useShortcut('c', () => setIsCreating(canCreate));

  const newTask = canCreate && <Button onClick={() => setIsCreating(true)}>New task</Button>;
  const frameworkNames = namesOf(frameworks.data ?? []);
  const [chosenColumns, columnMenu, columnIds] = useColumns('tasks', columns(frameworkNames, namesOf(departments)), {
    value: values.columns,
    onChange: (ids) => setValues({ columns: ids }),
  });
  const shownColumns = chosenColumns.filter(({ id }) => id !== FRAMEWORK_COLUMN || !isOfOneFramework);
  const error = frameworks.error ?? list.error;
  const isWithoutFramework = frameworks.data?.length === 0;

  const isEmpty = list.total === 0 && !isFiltered && !isBoard;
  const action = (
    <div className="page-actions">
      <ViewActions page="tasks" search={values} columns={columnIds} isCovered={isCreating} onChange={setValues} />
      {!isEmpty && newTask}
    </div>
  );

  return (
    <Frame title={title} action={action}>
      <Filters
        total={list.total}
        references={{ frameworks: frameworks.data ?? [], departments, members, vendors }}
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
      {error === null && !isWithoutFramework && isBoard && (
        <Board filters={filters} frameworks={isOfOneFramework ? new Map() : frameworkNames} />
      )}
      {error === null && !isWithoutFramework && !isBoard && (
        <TaskTable
          list={list}
          columns={shownColumns}
          departments={departments}
          sort={filters.sort}
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
        onCreated={setCreated}
        frameworks={frameworks.data ?? []}
        departments={departments}
        framework={values.framework}
      />
    </Frame>
  );
}

const namesOf = (rows: readonly { id: number; name: string }[]): ReadonlyMap<number, string> =>
  new Map(rows.map(({ id, name }) => [id, name]));

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
