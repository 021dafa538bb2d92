import { maySee } from '../../../components/person/use-members.ts';
import type { Member } from '../../../components/person/use-members.ts';
import { countText, runBatch } from '../../../components/table/batch.ts';
import { TASK_BATCH } from '../../../components/task/batch.ts';
import { readOpenTasks } from './open-tasks.ts';

/** The member who gives the tasks. */
export type Giver = Pick<Member, 'uniqueId' | 'name'>;

export interface Progress {
  done: number;
  count: number;
}

interface Options {
  onProgress: (progress: Progress) => void;
  /** False if the tasks cannot go back. */
  isUndoable?: boolean;
}

/** Gives the open tasks of a member to another one, as far as that one may see their frameworks. A message says so, with Undo. */
export async function handOver(from: Giver, to: Member, { onProgress, isUndoable = true }: Options): Promise<void> {
  const tasks = (await readOpenTasks(from.uniqueId)).filter(({ framework }) => maySee(to, framework));
  await runBatch(
    TASK_BATCH,
    tasks,
    { op: 'update', body: { assigneeId: to.uniqueId } },
    {
      verb: 'handed over',
      done: (count) =>
        `${countText(TASK_BATCH.unit, count)} of ${from.name} ${count === 1 ? 'was' : 'were'} handed over to ${to.name}.`,
      advice: (count) => `${count === 1 ? 'It stays' : 'They stay'} with ${from.name}.`,
      onProgress: (done) => onProgress({ done, count: tasks.length }),
      isUndoable,
    },
  );
}
