import { Text, VisuallyHidden } from '@mantine/core';
import { useRef } from 'react';
import { ErrorMessage } from '../../../components/error-message.tsx';
import { useSession } from '../../../components/use-session.ts';
import type { TaskFilters } from '../use-filters.ts';
import type { ListedTask } from '../use-task-pages.ts';
import './board.css';
import { Card } from './card.tsx';
import { Column } from './column.tsx';
import { columnsOf } from './columns.ts';
import { useMove } from './use-move.ts';

/** Tasks by status. Cards move with the mouse, with their menu, or with Shift and an arrow key. */
export function Board({ filters }: { filters: TaskFilters }) {
  const { canWrite } = useSession();
  const dragged = useRef<ListedTask>(undefined);
  const { move, announcement, failure, focused } = useMove(filters);
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
                takesFocus={() => focused.current === task.uniqueId}
                onMove={canWrite ? (target) => void move(task, target) : undefined}
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
