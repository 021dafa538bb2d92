import { OPEN_STATUSES } from '../../../components/task/choices.ts';
import type { ListedTask } from '../use-task-pages.ts';
import { CHANGED_MEANWHILE, runBatch } from './run-batch.ts';
import type { Changes, Failure, Success } from './run-batch.ts';

/** Gives tasks the values back that they had before a change. @returns the tasks that somebody else changed, or that failed */
export async function undoChanges(changed: readonly Success[], changes: Changes): Promise<Failure[]> {
  const restorable = changed.filter(isFormerKnown);
  const unknown = changed
    .filter((one) => !isFormerKnown(one))
    .map(({ task }) => ({ task, message: CHANGED_MEANWHILE }));

  // A closed task must be reopened before it gets another status.
  const closed = restorable.filter(({ task }) => isClosedBy(task, changes) && task.status !== 'todo');
  const reopened = await runBatch(closed.map((one) => toStep(one, { status: 'todo' })));
  const others = restorable.filter((one) => !closed.includes(one));
  const restored = await runBatch(
    [...others, ...reopened.successes].map((one) => toStep(one, formerOf(one.task, changes))),
  );
  return [...unknown, ...reopened.failures, ...restored.failures];
}

/** False if the task was no longer as the list showed it when it was changed. */
const isFormerKnown = ({ task, after }: Success): boolean => after !== undefined && after.version - task.version <= 1;

const isClosedBy = ({ status }: ListedTask, changes: Changes): boolean =>
  changes.status !== undefined && OPEN_STATUSES.includes(status) && !OPEN_STATUSES.includes(changes.status);

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
