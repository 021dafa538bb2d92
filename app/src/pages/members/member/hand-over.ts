import { queryClient, trpc } from '../../../api/client.ts';
import { maySee } from '../../../components/person/use-members.ts';
import type { Member } from '../../../components/person/use-members.ts';
import { closeFailures, fail, say } from '../../../components/undo/undo.ts';
import { runBatch } from '../../tasks/run-batch.ts';
import { countText, reasonsOf, undo } from '../../tasks/use-batch.ts';
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
  closeFailures();
  const tasks = (await readOpenTasks(from.uniqueId)).filter(({ framework }) => maySee(to, framework));
  const body = { assigneeId: to.uniqueId };
  const { successes, failures } = await runBatch(
    tasks.map((task) => ({ task, action: { op: 'update', body } })),
    (done) => onProgress({ done, count: tasks.length }),
  );
  await queryClient.invalidateQueries(trpc.task.pathFilter());
  if (successes.length > 0) {
    const verb = successes.length === 1 ? 'was' : 'were';
    say(
      `${countText(successes.length)} of ${from.name} ${verb} handed over to ${to.name}.`,
      isUndoable ? () => void undo(successes, body) : undefined,
    );
  }
  if (failures.length > 0)
    fail({
      title: `${countText(failures.length)} could not be handed over`,
      advice: `${failures.length === 1 ? 'It stays' : 'They stay'} with ${from.name}.`,
      reasons: reasonsOf(failures),
    });
}
