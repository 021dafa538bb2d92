import { Skeleton, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { trpc } from '../../api/client.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { useNames } from '../../components/record/use-names.ts';
import { StatusDot } from '../../components/status-dot.tsx';
import { OPEN_STATUSES } from '../../components/task/choices.ts';
import { DueDate } from '../../components/task/due-date.tsx';
import './vendor-tasks.css';

/** Tasks that are shown. */
const SHOWN = 10;

/** The tasks that name a vendor: those that are open, the next ones first, then the others, the last ones first. */
export function VendorTasks({ vendor }: { vendor: string }) {
  const open = useQuery(trpc.task.listAll.queryOptions({ vendor, status: 'open', sort: 'dueDate', limit: SHOWN }));
  const all = useQuery(trpc.task.listAll.queryOptions({ vendor, sort: '-dueDate', limit: SHOWN }));
  const findName = useNames();
  const error = open.error ?? all.error;
  const isLoaded = open.data !== undefined && all.data !== undefined;
  const closed = all.data?.items?.filter(({ status }) => !OPEN_STATUSES.includes(status)) ?? [];
  const tasks = [...(open.data?.items ?? []), ...closed].slice(0, SHOWN);
  const total = all.data?.total ?? 0;
  return (
    <section aria-labelledby="vendor-tasks">
      <div className="vendor-tasks-top">
        <Title order={2} id="vendor-tasks">
          Tasks
        </Title>
        {total > 0 && (
          <Link to="/tasks" search={{ vendor }}>
            {total === 1 ? 'In the list of tasks' : `All ${total.toLocaleString('en')} tasks`}
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
      {isLoaded && total === 0 && (
        <p className="quiet-text">No task names this vendor. A task names vendors on its page.</p>
      )}
      <ul className="vendor-tasks">
        {tasks.map((task) => (
          <li key={task.uniqueId}>
            <Link to="/tasks/$taskUniqueId" params={{ taskUniqueId: task.uniqueId }}>
              {task.title}
            </Link>
            <span className="vendor-task-facts">
              <StatusDot status={task.status} />
              <span>{findName('framework', task.framework)}</span>
              <DueDate task={task} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
