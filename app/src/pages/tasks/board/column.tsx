import { Button, Skeleton, Text } from '@mantine/core';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { ErrorMessage } from '../../../components/error-message.tsx';
import { StatusDot, statusText } from '../../../components/status-dot.tsx';
import type { TaskStatus } from '../../../components/task/choices.ts';
import type { TaskFilters } from '../use-filters.ts';
import { useTaskPages } from '../use-task-pages.ts';
import type { ListedTask } from '../use-task-pages.ts';
import { CARDS, columnFilters } from './columns.ts';

interface ColumnProps {
  filters: TaskFilters;
  status: TaskStatus;
  /** Moves the dragged card here. */
  onDrop: () => void;
  renderCard: (task: ListedTask) => ReactNode;
}

/** Tasks with one status. */
export function Column({ filters, status, onDrop, renderCard }: ColumnProps) {
  const { tasks, total, error, refetch, loadMore, isFetchingNextPage } = useTaskPages(
    columnFilters(filters, status),
    CARDS,
  );
  const [isOver, setIsOver] = useState(false);
  return (
    <section
      className="board-column"
      aria-label={statusText(status)}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setIsOver(false);
        onDrop();
      }}
    >
      <h2>
        <StatusDot status={status} />
        <Text span size="sm" c="dimmed">
          {total?.toLocaleString('en')}
        </Text>
      </h2>
      {error !== null && <ErrorMessage error={error} onRetry={() => void refetch()} />}
      <div className="board-cards">
        <ul>{tasks?.map(renderCard)}</ul>
        {tasks === undefined && error === null && <Skeleton height={72} radius="md" />}
        {tasks?.length === 0 && (
          <Text size="sm" c="dimmed" ta="center" py="md">
            No tasks
          </Text>
        )}
        {loadMore !== undefined && (
          <Button variant="subtle" fullWidth loading={isFetchingNextPage} onClick={loadMore}>
            Load more
          </Button>
        )}
      </div>
    </section>
  );
}
