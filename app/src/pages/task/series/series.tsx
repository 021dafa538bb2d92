import { Button, Skeleton, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { client, trpc } from '../../../api/client.ts';
import { pagesOptions } from '../../../api/pages.ts';
import { ErrorMessage } from '../../../components/error-message.tsx';
import { StatusDot } from '../../../components/status-dot.tsx';
import type { Task } from '../../../components/task/choices.ts';
import { DueDate } from '../../../components/task/due-date.tsx';
import { dateText } from '../../../dates.ts';
import { LOAD_MORE_CLASS } from '../../../print/printing.ts';
import './series.css';

const PAGE_SIZE = 20;

/** The tasks of a series, newest first, with links to the one before and the one after. */
export const Series = ({ task }: { task: Task }) =>
  task.previous === null && task.next === null && task.recurrence === null ? null : <SeriesSection task={task} />;

function SeriesSection({ task: { uniqueId: taskUniqueId, previous, next } }: { task: Task }) {
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    pagesOptions(trpc.task.series.queryKey({ taskUniqueId }), (position, options) =>
      client.task.series.query({ taskUniqueId, limit: PAGE_SIZE, ...position }, options),
    ),
  );
  const tasks = data?.pages.flatMap(({ items }) => items);
  // A task that recurs, and made no other yet. Until that is known, nothing shows that would vanish again.
  if (previous === null && next === null && (tasks === undefined || tasks.length === 1)) return null;
  /** "Next, 31 Mar 2027". A task beyond the loaded ones has no date. */
  const withDate = (word: string, uniqueId: string) => {
    const dueDate = tasks?.find((task) => task.uniqueId === uniqueId)?.dueDate ?? null;
    return dueDate === null ? word : `${word}, ${dateText(dueDate)}`;
  };
  return (
    <section aria-labelledby="series">
      <div className="series-top">
        <Title order={2} id="series">
          Series
        </Title>
        <div className="series-links">
          {previous !== null && <TaskLink taskUniqueId={previous}>{withDate('Previous', previous)}</TaskLink>}
          {next !== null && <TaskLink taskUniqueId={next}>{withDate('Next', next)}</TaskLink>}
        </div>
      </div>
      {error !== null && (
        <ErrorMessage title="The series could not be loaded" error={error} onRetry={() => void refetch()} />
      )}
      {tasks === undefined && error === null && <Skeleton h={72} />}
      {tasks !== undefined && <SeriesTable tasks={tasks} current={taskUniqueId} />}
      {hasNextPage && (
        <Button
          variant="default"
          mt="xs"
          className={LOAD_MORE_CLASS}
          loading={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          Load more of the series
        </Button>
      )}
    </section>
  );
}

type SeriesTask = Pick<Task, 'uniqueId' | 'title' | 'status' | 'dueDate'>;

const SeriesTable = ({ tasks, current }: { tasks: readonly SeriesTask[]; current: string }) => (
  <table className="series-table" aria-label="Tasks of the series">
    <thead>
      <tr>
        <th scope="col">Due date</th>
        <th scope="col">Status</th>
        <th scope="col">Title</th>
      </tr>
    </thead>
    <tbody>
      {tasks.map((task) => (
        <tr key={task.uniqueId} aria-current={task.uniqueId === current}>
          <td className="series-fact">
            <DueDate task={task} />
          </td>
          <td className="series-fact">
            <StatusDot status={task.status} />
          </td>
          <td>
            {task.uniqueId === current ? (
              `${task.title} (this task)`
            ) : (
              <TaskLink taskUniqueId={task.uniqueId}>{task.title}</TaskLink>
            )}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

const TaskLink = ({ taskUniqueId, children }: { taskUniqueId: string; children: ReactNode }) => (
  <Link to="/tasks/$taskUniqueId" params={{ taskUniqueId }}>
    {children}
  </Link>
);
