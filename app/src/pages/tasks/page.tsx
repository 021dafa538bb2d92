import { Button, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { client, trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import { errorDetails } from '../../api/errors.ts';
import { Created } from '../../components/created.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { countColumn } from '../../components/evidence/count-column.tsx';
import { Page as Frame } from '../../components/page.tsx';
import { Person } from '../../components/person/person.tsx';
import { useMembers } from '../../components/person/use-members.ts';
import { StatusDot } from '../../components/status-dot.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import { useColumns } from '../../components/table/use-columns.tsx';
import { useExportMenu } from '../../components/table/use-export-menu.tsx';
import type { Task } from '../../components/task/choices.ts';
import { DueDate } from '../../components/task/due-date.tsx';
import { Priority } from '../../components/task/priority.tsx';
import { Time } from '../../components/time.tsx';
import { fail } from '../../components/undo/undo.ts';
import { useSession } from '../../components/use-session.ts';
import { useShortcut } from '../../components/use-shortcut.ts';
import { useVendorNames } from '../../components/vendor/use-vendor-names.ts';
import { useCurrentView } from '../../components/views/use-views.ts';
import { ViewActions } from '../../components/views/view-actions.tsx';
import { usePrinting } from '../../print/printing.ts';
import { ActionBar } from './action-bar.tsx';
import { Board } from './board.tsx';
import { Filters } from './filters.tsx';
import { NewTaskDialog } from './new-task-dialog.tsx';
import type { Action } from './run-batch.ts';
import { useBatch } from './use-batch.ts';
import { DEFAULT_SORT, useFilters } from './use-filters.ts';
import { useTaskPages } from './use-task-pages.ts';
import type { ListedTask } from './use-task-pages.ts';

/** Creates a hook like `useState` whose value belongs to an entry of the history: "Back" finds it again. */
function entryState<Value>(initial: Value) {
  const values = new Map<string, Value>();
  return function useEntryState() {
    const key = useLocation({ select: ({ state }) => state.__TSR_key ?? '' });
    const [value, setValue] = useState(() => values.get(key) ?? initial);
    useEffect(() => {
      values.set(key, value);
    }, [key, value]);
    return [value, setValue] as const;
  };
}

interface TaskTableProps {
  list: Pick<ReturnType<typeof useTaskPages>, 'tasks' | 'total' | 'loadMore' | 'loadAll'>;
  columns: readonly Column<ListedTask>[];
  departments: Outputs['department']['list'];
  sort: string | undefined;
  onSort: (sort: string | undefined) => void;
  empty: ReactNode;
}

const useSelectedKeys = entryState<ReadonlySet<string>>(new Set());
const keyOf = ({ uniqueId }: ListedTask) => uniqueId;

/** The tasks as a table. A person who may change tasks can select several and change them together. */
function TaskTable({ list, columns, departments, sort, onSort, empty }: TaskTableProps) {
  const { tasks = [], total = 0, loadMore, loadAll } = list;
  const { canWrite } = useSession();
  const [keys, setKeys] = useSelectedKeys();
  const [isLoadingAll, setIsLoadingAll] = useState(false);
  const { run, progress } = useBatch('The tasks below stay selected.');
  const selected = tasks.filter(({ uniqueId }) => keys.has(uniqueId));

  const runOnSelected = async (action: Action) => {
    const failures = await run(selected, action);
    setKeys(new Set(failures.map(({ task }) => task.uniqueId)));
  };
  const selectAll = async () => {
    setIsLoadingAll(true);
    try {
      setKeys(new Set((await loadAll()).map(keyOf)));
    } catch (error) {
      fail({ title: 'The other tasks could not be selected', reasons: [errorDetails(error).message] });
    } finally {
      setIsLoadingAll(false);
    }
  };

  return (
    <>
      <DataTable
        label="Tasks"
        columns={columns}
        rows={list.tasks}
        rowKey={keyOf}
        rowName={({ title }) => title}
        sort={sort}
        onSort={onSort}
        onLoadMore={loadMore}
        selection={canWrite ? { keys: new Set(selected.map(keyOf)), onChange: setKeys } : undefined}
        empty={empty}
      />
      {selected.length > 0 && (
        <ActionBar
          tasks={selected}
          departments={departments}
          progress={progress}
          onAction={runOnSelected}
          onClear={() => setKeys(new Set())}
          more={
            loadMore !== undefined && selected.length === tasks.length
              ? { total, isLoading: isLoadingAll, onSelect: () => void selectAll() }
              : undefined
          }
        />
      )}
    </>
  );
}

/** Names by id. */
type Names = ReadonlyMap<number, string>;

/** Id of the column that a list of one framework lacks. */
const FRAMEWORK_COLUMN = 'framework';

const columns = (frameworks: Names, departments: Names): readonly Column<ListedTask>[] => [
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
    render: ({ assignee }) => assignee !== null && <Person name={assignee.name} />,
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
  const isPrinting = usePrinting();
  // On paper a board is its table.
  const isBoard = values.view === 'board' && !isPrinting;
  const list = useTaskPages(filters, isBoard ? 1 : PAGE_SIZE);
  const hasFramework = frameworks.data?.some(({ archived }) => !archived) === true;
  const canCreate = canWrite && hasFramework;
  useShortcut('c', () => setIsCreating(canCreate));

  const [exportMenu, exportStatus] = useExportMenu({
    fileName: 'tasks.csv',
    unit: ['task', 'tasks'],
    load: (options, signal) => client.task.exportAllCsv.query({ ...filters, ...options }, { signal }),
    children: canCreate && (
      <Menu.Item
        renderRoot={(props) => (
          <Link
            to="/imports"
            search={{ kind: 'task', framework: isOfOneFramework ? values.framework : undefined }}
            {...props}
          />
        )}
      >
        Import a file
      </Menu.Item>
    ),
  });
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
      {!isEmpty && exportMenu}
      {!isEmpty && newTask}
    </div>
  );

  return (
    <Frame title={title} action={action}>
      {exportStatus}
      <Filters
        total={list.total}
        references={{ frameworks: frameworks.data ?? [], departments, members, vendors }}
        values={values}
        onChange={setValues}
        isCovered={isCreating}
        columnMenu={isBoard ? undefined : columnMenu}
      />
      {created !== undefined && <Created what="task" path={`/tasks/${created.uniqueId}`} />}
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
          onSort={(sort) => setValues({ sort: sort === DEFAULT_SORT ? undefined : sort })}
          empty={
            isFiltered ? (
              <EmptyState text="No task matches these filters." />
            ) : (
              <EmptyState
                text="Tasks are the work that a framework requires."
                action={
                  canCreate && (
                    <>
                      {newTask}{' '}
                      <Link to="/imports" search={{ kind: 'task', framework: values.framework }}>
                        Import a file
                      </Link>
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

const NoFramework = ({ canCreate }: { canCreate: boolean }) => (
  <EmptyState
    text={`Each task belongs to a framework, and there is none yet. ${canCreate ? 'Create the first one.' : 'Ask an admin of the company to create one.'}`}
    action={canCreate && <Button renderRoot={(props) => <Link to="/frameworks" {...props} />}>Go to frameworks</Button>}
  />
);
