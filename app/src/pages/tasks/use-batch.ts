import { useState } from 'react';
import { queryClient, trpc } from '../../api/client.ts';
import { closeFailures, endMessage, fail, say } from '../../components/undo/undo.ts';
import type { ListedTask } from './use-task-pages.ts';
import { CHANGED_MEANWHILE, runBatch } from './run-batch.ts';
import type { Action, Changes, Failure, Success } from './run-batch.ts';

/** Gives tasks the values back that they had before a change. @returns the tasks that somebody else changed, or that failed */
async function undoChanges(changed: readonly Success[], changes: Changes): Promise<Failure[]> {
  const restorable = changed.filter(isFormerKnown);
  const unknown = changed
    .filter((one) => !isFormerKnown(one))
    .map(({ task }) => ({ task, message: CHANGED_MEANWHILE }));

  const restored = await runBatch(restorable.map((one) => toStep(one, formerOf(one.task, changes))));
  return [...unknown, ...restored.failures];
}

/** False if the task was no longer as the list showed it when it was changed. */
const isFormerKnown = ({ task, after }: Success): boolean => after !== undefined && after.version - task.version <= 1;

/** The step succeeds only if the task is as the last change left it. */
const toStep = ({ task, after }: Success, body: Changes) => ({
  task,
  action: { op: 'update' as const, body, ...(after !== undefined && { ifMatch: after.etag }) },
});

/** The values before a change. */
const formerOf = ({ status, priority, dueDate, departmentId, assignee }: ListedTask, changes: Changes): Changes => ({
  ...(changes.status !== undefined && { status }),
  ...(changes.priority !== undefined && { priority }),
  ...(changes.dueDate !== undefined && { dueDate }),
  ...(changes.departmentId !== undefined && { departmentId }),
  ...(changes.assigneeId !== undefined && { assigneeId: assignee?.uniqueId ?? null }),
});

/** "12 tasks" */
export const countText = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'task' : 'tasks'}`;
export const reasonsOf = (failures: readonly Failure[]) =>
  failures.map(({ task, message }) => `${task.title}: ${message}`);
const reload = () => queryClient.invalidateQueries(trpc.task.pathFilter());

/**
 * Runs actions on tasks. Messages at the bottom of the window say what was done, and undo changes.
 * @param advice the effect of a failure on the page
 */
export function useBatch(advice?: string) {
  const [progress, setProgress] = useState<{ done: number; count: number }>();

  /** @returns the tasks that failed */
  const run = async (tasks: readonly ListedTask[], action: Action): Promise<Failure[]> => {
    closeFailures();
    const { successes, failures } = await runBatch(
      tasks.map((task) => ({ task, action })),
      (done) => setProgress({ done, count: tasks.length }),
    );
    await reload();
    setProgress(undefined);
    report(action, successes, failures, advice);
    return failures;
  };

  return { run, progress };
}

export type Batch = ReturnType<typeof useBatch>;

function report(
  action: Action,
  successes: readonly Success[],
  failures: readonly Failure[],
  advice: string | undefined,
): void {
  const verb = action.op === 'update' ? 'changed' : 'deleted';
  if (successes.length > 0) {
    const made = successes.filter(({ task, after }) => after !== undefined && after.next !== task.next).length;
    const also = made === 0 ? '' : ` ${made.toLocaleString('en')} next ${made === 1 ? 'task was' : 'tasks were'} made.`;
    const text = `${countText(successes.length)} ${verb}.${also}`;
    say(text, action.op === 'update' ? () => void undo(successes, action.body) : undefined);
  }
  if (failures.length > 0) {
    fail({
      title: `${countText(failures.length)} could not be ${verb}`,
      ...(advice !== undefined && { advice }),
      reasons: reasonsOf(failures),
    });
  }
}

/** Gives tasks their former values back, and says so. */
export async function undo(changed: readonly Success[], changes: Changes): Promise<void> {
  say(`Undoing the change of ${countText(changed.length)} …`);
  const failures = await undoChanges(changed, changes);
  await reload();
  const restored = changed.length - failures.length;
  if (restored > 0) say(`The change of ${countText(restored)} was undone.`);
  else endMessage();
  if (failures.length > 0) {
    fail({
      title: `The change of ${countText(failures.length)} could not be undone`,
      advice: 'The tasks below keep their present values.',
      reasons: reasonsOf(failures),
    });
  }
}
