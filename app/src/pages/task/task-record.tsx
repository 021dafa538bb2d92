import { client, queryClient, sentOnLeave, trpc } from '../../api/client.ts';
import { AutoSaveText } from '../../components/form/auto-save-text.tsx';
import { ConflictDialog } from '../../components/record/conflict-dialog.tsx';
import { Description } from '../../components/record/description.tsx';
import { History } from '../../components/record/history.tsx';
import { RecordPage } from '../../components/record/record-page.tsx';
import { useNames } from '../../components/record/use-names.ts';
import { useRecord } from '../../components/record/use-record.ts';
import { useSession } from '../../components/use-session.ts';
import type { Task } from '../../components/task/choices.ts';
import { TaskPanel } from './task-panel.tsx';
import type { TaskChanges } from './task-panel.tsx';

/** A task, which the person edits, or a state of the past. */
export function TaskRecord({ loaded, isPast }: { loaded: Task; isPast: boolean }) {
  const { canWrite } = useSession();
  const { uniqueId: taskUniqueId, framework } = loaded;
  const history = trpc.task.history.queryKey({ taskUniqueId });
  const { item, save, conflict } = useRecord<Task, TaskChanges>(loaded, {
    read: () => client.task.get.query({ taskUniqueId }),
    update: (changes, ifMatch) => client.task.update.mutate({ ...changes, taskUniqueId, ifMatch }),
    onChange: () => void Promise.all([queryClient.invalidateQueries({ queryKey: history }), refreshLists()]),
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
      uniqueId={taskUniqueId}
      title={item.title}
      onDelete={readOnly ? undefined : remove}
      panel={<TaskPanel task={item} save={save} readOnly={readOnly} />}
    >
      <AutoSaveText
        label="Title"
        name="title"
        value={item.title}
        onSave={(title) => save({ title })}
        readOnly={readOnly}
      />
      <Description value={item.description} onSave={(description) => save({ description })} readOnly={readOnly} />
      <History
        procedureKey={history}
        loadPage={(position, options) => client.task.history.query({ taskUniqueId, ...position }, options)}
        findName={findName}
      />
      <ConflictDialog conflict={conflict} findName={findName} />
    </RecordPage>
  );
}

const refreshLists = () => queryClient.invalidateQueries(trpc.task.list.pathFilter());
