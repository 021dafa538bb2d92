import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { trpc } from '../../api/client.ts';
import type { Inputs } from '../../api/client.ts';
import { DueDate } from '../../components/task/due-date.tsx';
import { useSession } from '../../components/use-session.ts';
import { MY_TASKS } from '../../components/views/view.ts';
import './my-work.css';
import { Panel } from './panel.tsx';

/** Titles that each part shows. */
const TITLES = 3;

/** Parts of a person's work, with their filters. */
const PARTS = [
  { name: 'Overdue', filter: { due: 'overdue' } },
  { name: 'Due this week', filter: { due: 'week' } },
  { name: 'In review', filter: { status: 'in_review' } },
] as const satisfies readonly { name: string; filter: Inputs['task']['listAll'] }[];

const ORDER = { sort: 'dueDate' } as const;

/** Reads the tasks of the person, by part. */
export function useMyWork() {
  const { member } = useSession();
  return useQueries({
    queries: PARTS.map(({ filter }) =>
      trpc.task.listAll.queryOptions({ ...filter, ...ORDER, assignee: member, limit: TITLES }),
    ),
  });
}

/** The tasks of the person that need attention. Nothing for a person who has none. */
export function MyWork({ results }: { results: ReturnType<typeof useMyWork> }) {
  const error = results.find((result) => result.error !== null)?.error;
  const lists = results.map(({ data }) => data);
  if (error === undefined && lists.every((list) => list === undefined || list.total === 0)) return null;
  return (
    <Panel
      title="My work"
      className="panel-full screen-only"
      height={110}
      isLoading={error === undefined && lists.includes(undefined)}
      error={error}
      onRetry={() => results.forEach((result) => void result.refetch())}
      action={
        <Link to="/tasks" search={MY_TASKS.search}>
          {MY_TASKS.name}
        </Link>
      }
    >
      <div className="my-work">
        {PARTS.map(({ name, filter }, index) => {
          const { total = 0, items = [] } = lists[index] ?? {};
          return (
            <section key={name} aria-label={name}>
              <h3>
                {total === 0 ? (
                  <>0 {name.toLowerCase()}</>
                ) : (
                  <Link to="/tasks" search={{ ...filter, ...ORDER, assignee: MY_TASKS.search.assignee }}>
                    {total.toLocaleString('en')} {name.toLowerCase()}
                  </Link>
                )}
              </h3>
              <ul className="panel-list">
                {items.map((task) => (
                  <li key={task.uniqueId}>
                    <Link
                      className="grow"
                      to="/tasks/$taskUniqueId"
                      params={{ taskUniqueId: task.uniqueId }}
                      dir="auto"
                    >
                      {task.title}
                    </Link>
                    <DueDate task={task} />
                  </li>
                ))}
              </ul>
            </section>
          );
        })}
      </div>
    </Panel>
  );
}
