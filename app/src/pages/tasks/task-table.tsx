import { useState } from 'react';
import type { ReactNode } from 'react';
import type { Outputs } from '../../api/client.ts';
import { DataTable } from '../../components/table/data-table.tsx';
import { useSession } from '../../components/use-session.ts';
import { columns } from './columns.tsx';
import { ActionBar } from './selection/action-bar.tsx';
import { Report } from './selection/report.tsx';
import { useBatch } from './selection/use-batch.ts';
import type { Action } from './selection/use-batch.ts';
import type { ListedTask } from './use-task-pages.ts';

interface TaskTableProps {
  tasks: readonly ListedTask[] | undefined;
  departments: Outputs['department']['list'];
  sort: string | undefined;
  onSort: (sort: string) => void;
  onLoadMore: (() => void) | undefined;
  empty: ReactNode;
}

const NOTHING: ReadonlySet<string> = new Set();

/** The tasks as a table. A person who may change tasks can select several and change them together. */
export function TaskTable({ tasks, departments, sort, onSort, onLoadMore, empty }: TaskTableProps) {
  const { canWrite } = useSession();
  const [keys, setKeys] = useState(NOTHING);
  const batch = useBatch();
  const selected = (tasks ?? []).filter(({ uniqueId }) => keys.has(uniqueId));

  const run = async (action: Action) => {
    const failures = await batch.run(selected, action);
    setKeys(new Set(failures.map(({ task }) => task.uniqueId)));
  };

  return (
    <>
      <Report report={batch.report} closeReport={batch.closeReport} />
      <DataTable
        label="Tasks"
        columns={columns(new Map(departments.map(({ id, name }) => [id, name])))}
        rows={tasks}
        rowKey={({ uniqueId }) => uniqueId}
        rowName={({ title }) => title}
        sort={sort}
        onSort={onSort}
        onLoadMore={onLoadMore}
        selection={
          canWrite ? { keys: new Set(selected.map(({ uniqueId }) => uniqueId)), onChange: setKeys } : undefined
        }
        empty={empty}
      />
      {selected.length > 0 && (
        <ActionBar
          count={selected.length}
          departments={departments}
          progress={batch.progress}
          onAction={run}
          onClear={() => setKeys(NOTHING)}
        />
      )}
    </>
  );
}
