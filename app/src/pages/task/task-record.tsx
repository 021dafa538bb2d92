import { useRef } from 'react';
import { client, queryClient, sentOnLeave, trpc } from '../../api/client.ts';
import { reloadWatching } from '../../components/inbox/watch-button.tsx';
import { EvidenceSection } from '../../components/evidence/section.tsx';
import { ConflictDialog } from '../../components/record/conflict/conflict-dialog.tsx';
import { Description } from '../../components/record/fields/description.tsx';
import { useRecord } from '../../components/record/edits/use-record.ts';
import { Fact, Facts, FieldsAsText } from '../../components/record/facts.tsx';
import { RecordPage } from '../../components/record/record-page.tsx';
import { RecordTitle } from '../../components/record/fields/record-title.tsx';
import { useNames } from '../../components/record/use-names.ts';
import { Timeline } from '../../components/timeline/timeline.tsx';
import { useSession } from '../../components/use-session.ts';
import type { Task } from '../../components/task/choices.ts';
import { Series } from './series/series.tsx';
import { TaskFacts } from './task-facts.tsx';
import { TaskFields } from './task-fields.tsx';
import type { TaskValues } from './task-fields.tsx';

/** A task, which the person edits, or a state of the past. */
export function TaskRecord({ loaded, isPast }: { loaded: Task; isPast: boolean }) {
  const { canWrite } = useSession();
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
      {!isPast && <EvidenceSection parent={{ taskUniqueId }} readOnly={readOnly} />}
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
