import { Skeleton, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { trpc } from '../../api/client.ts';
import { ErrorMessage } from '../error-message.tsx';
import { useNames } from '../record/use-names.ts';
import { StatusDot } from '../status-dot.tsx';
import { OPEN_STATUSES } from './choices.ts';
import { DueDate } from './due-date.tsx';

/** Tasks that are shown. */
const SHOWN = 10;

interface LinkedTasksProps {
  /** Filter of the list of tasks. */
  of: { vendor: string } | { requirement: string };
  /** Shown without a task. */
  empty: string;
  /** Buttons. */
  action?: ReactNode;
}

/** The tasks that name a record: those that are open, the next ones first, then the others, the last ones first. */
export function LinkedTasks({ of, empty, action }: LinkedTasksProps) {
  const open = useQuery(trpc.task.listAll.queryOptions({ ...of, status: 'open', sort: 'dueDate', limit: SHOWN }));
  const all = useQuery(trpc.task.listAll.queryOptions({ ...of, sort: '-dueDate', limit: SHOWN }));
  const findName = useNames();
  const error = open.error ?? all.error;
  const isLoaded = open.data !== undefined && all.data !== undefined;
  const closed = all.data?.items?.filter(({ status }) => !OPEN_STATUSES.includes(status)) ?? [];
  const tasks = [...(open.data?.items ?? []), ...closed].slice(0, SHOWN);
  const total = all.data?.total ?? 0;
  return (
    <section aria-labelledby="linked-tasks">
      <div className="part-top">
        <Title order={2} id="linked-tasks">
          Tasks
        </Title>
        {total > 0 && (
          <Link to="/tasks" search={of}>
            {total === 1 ? 'Show in the task list' : `Show all ${total.toLocaleString('en')} tasks`}
          </Link>
        )}
      </div>
      {error !== null && (
        <ErrorMessage
          title="The tasks could not be loaded"
          error={error}
          onRetry={() => void Promise.all([open.refetch(), all.refetch()])}
        />
      )}
      {!isLoaded && error === null && <Skeleton h={40} />}
      {isLoaded && total === 0 && <p className="quiet-text">{empty}</p>}
      <ul className="linked-tasks">
        {tasks.map((task) => (
          <li key={task.uniqueId}>
            <Link to="/tasks/$taskUniqueId" params={{ taskUniqueId: task.uniqueId }} dir="auto">
              {task.title}
            </Link>
            <span className="linked-task-facts">
              <StatusDot status={task.status} />
              <span>{findName('framework', task.framework)}</span>
              <DueDate task={task} />
            </span>
          </li>
        ))}
      </ul>
      {action}
    </section>
  );
}
