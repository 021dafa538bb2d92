import { useState } from 'react';
import type { ReactNode } from 'react';
import type { Outputs } from '../../api/client.ts';
import { errorDetails } from '../../api/errors.ts';
import { DataTable } from '../../components/table/data-table.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import { entryState } from '../../components/table/return/entry-state.ts';
import { fail } from '../../components/undo/undo.ts';
import { useSession } from '../../components/use-session.ts';
import { ActionBar } from './selection/action-bar.tsx';
import type { Action } from './selection/run-batch.ts';
import { useBatch } from './selection/use-batch.ts';
import type { ListedTask, useTaskPages } from './use-task-pages.ts';

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
export function TaskTable({ list, columns, departments, sort, onSort, empty }: TaskTableProps) {
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
