import { client } from '../../api/client.ts';
import type { Inputs } from '../../api/client.ts';
import { errorDetails } from '../../api/errors.ts';
import { messageText } from '../../components/error-text.ts';
import type { ListedTask } from './use-task-pages.ts';

/** Maximum number of items of a batch. */
const CHUNK_SIZE = 100;
const PRECONDITION_FAILED = 412;

export type Changes = Pick<Inputs['task']['update'], 'status' | 'priority' | 'dueDate' | 'departmentId' | 'assigneeId'>;

/** A change of a task, or its deletion. */
export type Action = { op: 'update'; body: Changes; ifMatch?: string } | { op: 'delete' };

export interface Step {
  task: ListedTask;
  action: Action;
}

/** A step that succeeded. A deletion has no state after it. */
export interface Success extends Step {
  after: { version: number; etag: string; next: string | null } | undefined;
}

export interface Failure {
  task: ListedTask;
  message: string;
}

/** Sends steps in batches of the permitted size. A part of them may fail. @param onProgress gets the number of sent steps */
export async function runBatch(steps: readonly Step[], onProgress: (done: number) => void = () => undefined) {
  const successes: Success[] = [];
  const failures: Failure[] = [];
  for (let start = 0; start < steps.length; start += CHUNK_SIZE) {
    onProgress(start);
    const chunk = steps.slice(start, start + CHUNK_SIZE);
    try {
      const { results } = await client.task.batch.mutate({
        items: chunk.map(({ task: { uniqueId }, action }) => ({ ...action, uniqueId })),
      });
      for (const { index, status, item, etag, error } of results) {
        const step = chunk[index];
        if (step === undefined) continue;
        if (error === undefined) {
          const after =
            item === undefined || etag === undefined ? undefined : { version: item.version, etag, next: item.next };
          successes.push({ ...step, after });
        } else {
          failures.push({
            task: step.task,
            message: status === PRECONDITION_FAILED ? CHANGED_MEANWHILE : messageText(error),
          });
        }
      }
    } catch (error) {
      // Later batches would fail for the same reason.
      const message = messageText(errorDetails(error).message);
      failures.push(...steps.slice(start).map(({ task }) => ({ task, message })));
      break;
    }
  }
  return { successes, failures };
}

export const CHANGED_MEANWHILE = 'Somebody else changed it meanwhile.';
