import { Button, Skeleton, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import type { ReactNode } from 'react';
import { client, queryClient, sentOnLeave, trpc } from '../../api/client.ts';
import { pagesOptions } from '../../api/pages.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { EvidenceSection } from '../../components/evidence/section.tsx';
import { reloadWatching } from '../../components/inbox/watch-button.tsx';
import { Person } from '../../components/person/person.tsx';
import { ConflictDialog } from '../../components/record/conflict-dialog.tsx';
import { useRecord } from '../../components/record/use-record.ts';
import { Fact, Facts, FieldsAsText } from '../../components/record/facts.tsx';
import { Description } from '../../components/record/fields/description.tsx';
import { RecordTitle } from '../../components/record/fields/record-title.tsx';
import { RecordPage } from '../../components/record/record-page.tsx';
import { useNames } from '../../components/record/use-names.ts';
import type { FindName } from '../../components/record/values.ts';
import { RecurrenceText } from '../../components/recurrence/recurrence-text.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { OPEN_STATUSES } from '../../components/task/choices.ts';
import type { Task } from '../../components/task/choices.ts';
import { DueDate } from '../../components/task/due-date.tsx';
import { Priority } from '../../components/task/priority.tsx';
import { CalendarDate } from '../../components/time.tsx';
import { Timeline } from '../../components/timeline/timeline.tsx';
import { useSession } from '../../components/use-session.ts';
import { useVendorNames } from '../../components/vendor/use-vendor-names.ts';
import { dateText } from '../../dates.ts';
import { LOAD_MORE_CLASS } from '../../print/printing.ts';
import './series.css';
import { TaskFields } from './task-fields.tsx';
import type { TaskValues } from './task-fields.tsx';

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

/** Names of vendors, with links to their pages. */
const VendorLinks = ({ uniqueIds }: { uniqueIds: readonly string[] }) =>
  useVendorNames(uniqueIds).map(({ uniqueId, name }) => (
    <div key={uniqueId}>
      {name === undefined ? (
        <Skeleton h={18} />
      ) : (
        <Link to="/vendors/$uniqueId" params={{ uniqueId }}>
          {name}
        </Link>
      )}
    </div>
  ));

interface TaskFactsProps {
  task: Task;
  /** True for an earlier state, whose due date is not compared with today. */
  isPast: boolean;
  findName: FindName;
}

/** The fields of a task as text, for a person who may not change them. */
function TaskFacts({ task, isPast, findName }: TaskFactsProps) {
  const {
    status,
    assignee,
    priority,
    dueDate,
    startDate,
    departmentId,
    labels,
    gaps,
    vendors,
    recurrence,
    seriesDate,
  } = task;
  const firstDate = seriesDate ?? dueDate;
  return (
    <>
      <Fact name="Status">
        <StatusDot status={status} />
      </Fact>
      <Fact name="Assignee">{assignee !== null && <Person name={assignee.name} />}</Fact>
      <Fact name="Priority">
        <Priority priority={priority} />
      </Fact>
      <Fact name="Due date">
        {dueDate !== null && (isPast ? <CalendarDate value={dueDate} /> : <DueDate task={task} />)}
      </Fact>
      <Fact name="Recurrence">
        {recurrence !== null && firstDate !== null && (
          <RecurrenceText rule={recurrence} dueDate={firstDate} withDates={!isPast && OPEN_STATUSES.includes(status)} />
        )}
      </Fact>
      <Fact name="Start date">{startDate !== null && <CalendarDate value={startDate} />}</Fact>
      <Fact name="Department">{departmentId !== null && (findName('departmentId', departmentId) ?? departmentId)}</Fact>
      <Fact name="Labels">{labels.length > 0 && labels.join(', ')}</Fact>
      <Fact name="Gaps">
        {gaps.length > 0 && gaps.map((gap) => <div key={gap}>{findName('gaps', gap) ?? gap}</div>)}
      </Fact>
      <Fact name="Vendors">{vendors.length > 0 && <VendorLinks uniqueIds={vendors} />}</Fact>
    </>
  );
}

/** A task, which the person edits, or a state of the past. */
export function TaskRecord({ loaded, isPast }: { loaded: Task; isPast: boolean }) {
  const { canWrite, member } = useSession();
  const { uniqueId: taskUniqueId, framework } = loaded;
  const history = trpc.task.history.queryKey({ taskUniqueId });
  const movesSeries = useRef(false);
  const { item, field, conflict } = useRecord<TaskValues, Task>(loaded, {
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
  const readOnly = isPast || !canWrite;
  const remove = async () => {
    await client.task.delete.mutate({ taskUniqueId }, sentOnLeave);
    // A person who went back meanwhile sees that the task is gone.
    await Promise.all([refreshLists(), queryClient.resetQueries(trpc.task.get.queryFilter({ taskUniqueId }))]);
  };
  return (
    <RecordPage
      type="task"
      parent={{ taskUniqueId }}
      title={item.title}
      onDelete={readOnly ? undefined : remove}
      asksForTitle={!OPEN_STATUSES.includes(item.status) && (item.assignee ?? item.createdBy).uniqueId !== member}
      heading={<RecordTitle label="Title" field={field('title')} readOnly={readOnly} />}
      panel={
        <>
          {!readOnly && <TaskFields task={item} field={field} onScope={(chosen) => (movesSeries.current = chosen)} />}
          <Facts record={item}>
            <FieldsAsText readOnly={readOnly}>
              <TaskFacts task={item} isPast={isPast} findName={findName} />
            </FieldsAsText>
            <Fact name="Framework">{findName('framework', framework) ?? framework}</Fact>
          </Facts>
        </>
      }
    >
      <Description field={field('description')} readOnly={readOnly} />
      <EvidenceSection parent={{ taskUniqueId }} readOnly={readOnly} />
      {!isPast && <Series task={item} />}
      <Timeline parent={{ taskUniqueId }} framework={framework} readOnly={readOnly} findName={findName} />
      <ConflictDialog conflict={conflict} findName={findName} />
    </RecordPage>
  );
}

/** Changed fields as the API takes them. */
const toInput = ({ assignee, ...changes }: Partial<TaskValues>) => ({
  ...changes,
  ...(assignee !== undefined && { assigneeId: assignee?.uniqueId ?? null }),
});

const refreshLists = () => queryClient.invalidateQueries(trpc.task.listAll.pathFilter());
