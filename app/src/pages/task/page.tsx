import { Alert, Button, Group, Skeleton, Text, Title } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useRef } from 'react';
import type { ReactNode } from 'react';
import { client, queryClient, sentOnLeave, trpc } from '../../api/client.ts';
import { pagesOptions } from '../../api/pages.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { reloadWatching } from '../../components/inbox/watch-button.tsx';
import { Fact } from '../../components/record/fields.tsx';
import { RecordLoading, RecordPage } from '../../components/record/record-page.tsx';
import { useNames } from '../../components/record/use-names.ts';
import { recordQuery, useRecord } from '../../components/record/use-record.ts';
import { StatusDot } from '../../components/status-dot.tsx';
import { useSearch } from '../../components/table/use-search.ts';
import { OPEN_STATUSES } from '../../components/task/choices.ts';
import type { Task } from '../../components/task/choices.ts';
import { DueDate } from '../../components/task/due-date.tsx';
import { useTaskFields } from '../../components/task/fields.tsx';
import type { TaskValues } from '../../components/task/fields.tsx';
import { Time } from '../../components/time.tsx';
import { useSession } from '../../components/use-session.ts';
import { dateText } from '../../dates.ts';
import { LOAD_MORE_CLASS } from '../../print/printing.ts';

const PAGE_SIZE = 20;

/** The tasks of a series, newest first, with links to the one before and the one after. */
const Series = ({ task }: { task: Task }) =>
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
      <div className="part-top">
        <Title order={2} id="series">
          Series
        </Title>
        <Group gap="md">
          {previous !== null && <TaskLink taskUniqueId={previous}>{withDate('Previous', previous)}</TaskLink>}
          {next !== null && <TaskLink taskUniqueId={next}>{withDate('Next', next)}</TaskLink>}
        </Group>
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
          <td dir="auto">
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

/** Says that a closed task is locked. @param onReopen missing for who may not */
function LockedBanner({ onReopen }: { onReopen: (() => Promise<unknown>) | undefined }) {
  const { mutate, isPending, error } = useMutation({ mutationFn: async () => onReopen?.() });
  return (
    <Alert variant="outline" mb="md" className="screen-only">
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          This task is closed, and closed work is locked. Comments and evidence can still be added.
          {onReopen === undefined && ' An admin can reopen it.'}
        </Text>
        {onReopen !== undefined && (
          <Button variant="default" loading={isPending} onClick={() => mutate()}>
            Reopen
          </Button>
        )}
      </Group>
      {error !== null && <ErrorMessage title="The task was not reopened" error={error} />}
    </Alert>
  );
}

/** A task, which the person edits, or a state of the past. */
function TaskRecord({ loaded, isPast }: { loaded: Task; isPast: boolean }) {
  const { canWrite, company, isAdmin, member } = useSession();
  const { uniqueId: taskUniqueId, framework } = loaded;
  const history = trpc.task.history.queryKey({ taskUniqueId });
  const movesSeries = useRef(false);
  const { item, field, conflict, apply } = useRecord<TaskValues, Task>(loaded, {
    read: () => client.task.get.query({ taskUniqueId }),
    update: (changes, ifMatch) => {
      const moveSeries = changes.dueDate !== undefined && movesSeries.current;
      return client.task.update.mutate({
        ...toInput(changes),
        taskUniqueId,
        ifMatch,
        ...(moveSeries && { moveSeries }),
      });
    },
    onChange: () =>
      void Promise.all([
        queryClient.invalidateQueries({ queryKey: history }),
        queryClient.invalidateQueries(trpc.task.series.pathFilter()),
        reloadWatching({ taskUniqueId }),
        refreshLists(),
      ]),
  });
  const findName = useNames(framework);
  const fields = useTaskFields(item, {
    rule: field('recurrence').value,
    isPast,
    onScope: (chosen) => {
      movesSeries.current = chosen;
    },
  });
  const isLocked = company.lockClosed && !OPEN_STATUSES.includes(item.status);
  const reopen = () => apply(() => client.task.update.mutate({ taskUniqueId, status: 'in_progress' }));
  const remove = async () => {
    await client.task.delete.mutate({ taskUniqueId }, sentOnLeave);
    // A person who went back meanwhile sees that the task is gone.
    await Promise.all([refreshLists(), queryClient.resetQueries(trpc.task.get.queryFilter({ taskUniqueId }))]);
  };
  return (
    <RecordPage<TaskValues>
      type="task"
      parent={{ taskUniqueId }}
      record={item}
      name={item.title}
      title={field('title')}
      description={field('description')}
      fields={fields}
      mainFields={['status', 'assignee', 'dueDate']}
      field={field}
      findName={findName}
      facts={
        <>
          <Fact name="Framework">{findName('framework', framework) ?? framework}</Fact>
          {item.closedAt !== null && (
            <Fact name="Closed">
              {item.closedBy?.name}, <Time value={item.closedAt} withRelative />
            </Fact>
          )}
        </>
      }
      readOnly={isPast || !canWrite || isLocked}
      isLocked={isLocked}
      banner={isLocked && <LockedBanner onReopen={isAdmin ? reopen : undefined} />}
      framework={framework}
      more={!isPast && <Series task={item} />}
      conflict={conflict}
      onDelete={remove}
      isOthersWork={!OPEN_STATUSES.includes(item.status) && (item.assignee ?? item.createdBy).uniqueId !== member}
    />
  );
}

/** Changed fields as the API takes them. */
const toInput = ({ assignee, reviewer, ...changes }: Partial<TaskValues>) => ({
  ...changes,
  ...(reviewer !== undefined && { reviewerId: reviewer?.uniqueId ?? null }),
  ...(assignee !== undefined && { assigneeId: assignee?.uniqueId ?? null }),
});

const refreshLists = () => queryClient.invalidateQueries(trpc.task.listAll.pathFilter());

export function Page() {
  const { taskUniqueId = '' } = useParams({ strict: false });
  const [search] = useSearch(['asOf']);
  const { data, error, refetch } = useQuery({
    ...trpc.task.get.queryOptions({ taskUniqueId, ...search }),
    ...recordQuery,
  });
  if (data === undefined) return <RecordLoading type="task" error={error} onRetry={() => void refetch()} />;
  return <TaskRecord key={`${taskUniqueId} ${search.asOf}`} loaded={data} isPast={search.asOf !== undefined} />;
}
