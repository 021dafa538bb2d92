import type { ListedTask } from '../use-task-pages.ts';
import { CHANGED_MEANWHILE, runBatch } from './run-batch.ts';
import type { Changes, Failure, Success } from './run-batch.ts';

/** Gives tasks the values back that they had before a change. @returns the tasks that somebody else changed, or that failed */
export async function undoChanges(changed: readonly Success[], changes: Changes): Promise<Failure[]> {
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
