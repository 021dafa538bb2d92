import { Text, VisuallyHidden } from '@mantine/core';
import { useRef } from 'react';
import { ErrorMessage } from '../../../components/error-message.tsx';
import { useSession } from '../../../components/use-session.ts';
import { useBatch } from '../selection/use-batch.ts';
import type { TaskFilters } from '../use-filters.ts';
import type { ListedTask } from '../use-task-pages.ts';
import './board.css';
import { Card } from './card.tsx';
import { Column } from './column.tsx';
import { columnsOf } from './columns.ts';
import { useMove } from './use-move.ts';

interface BoardProps {
  filters: TaskFilters;
  /** Names of the frameworks by id; empty on a board of one framework. */
  frameworks: ReadonlyMap<number, string>;
}

/** Tasks by status. Cards move with the mouse, with their menu, or with Shift and an arrow key. */
export function Board({ filters, frameworks }: BoardProps) {
  const { canWrite } = useSession();
  const dragged = useRef<ListedTask>(undefined);
  const { move, announcement, failure, focused } = useMove(filters);
  const { run } = useBatch();
  const columns = columnsOf(filters.status);
  return (
    <>
      {failure !== undefined && <ErrorMessage {...failure} />}
      {canWrite && (
        <Text size="xs" c="dimmed" mb="xs">
          Drag a card to another column, or focus it and press Shift with the left or right arrow key.
        </Text>
      )}
      <VisuallyHidden role="status">{announcement}</VisuallyHidden>
      <div
        className="board"
        onDragEnd={() => {
          dragged.current = undefined;
        }}
      >
        {columns.map((status) => (
          <Column
            key={status}
            filters={filters}
            status={status}
            onDrop={() => {
              if (dragged.current !== undefined) void move(dragged.current, status);
              dragged.current = undefined;
            }}
            renderCard={(task) => (
              <Card
                key={task.uniqueId}
                task={task}
                columns={columns}
                framework={frameworks.get(task.framework)}
                takesFocus={() => focused.current === task.uniqueId}
                changes={
                  canWrite
                    ? {
                        onMove: (target) => void move(task, target),
                        onAssign: (assigneeId) => void run([task], { op: 'update', body: { assigneeId } }),
                      }
                    : undefined
                }
                onDragStart={() => {
                  dragged.current = task;
                }}
              />
            )}
          />
        ))}
      </div>
    </>
  );
}
