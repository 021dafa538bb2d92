import { useState } from 'react';
import { client, queryClient, trpc } from '../../../api/client.ts';
import type { Inputs } from '../../../api/client.ts';
import { errorDetails } from '../../../api/errors.ts';
import type { ListedTask } from '../use-task-pages.ts';

/** Maximum number of items of a batch. */
const CHUNK_SIZE = 100;

type Changes = Pick<Inputs['task']['update'], 'status' | 'priority' | 'dueDate' | 'departmentId'>;

/** A change of several tasks: the changed fields, or a deletion. */
export type Action = { op: 'update'; body: Changes } | { op: 'delete' };

export interface Failure {
  task: ListedTask;
  message: string;
}

/** Result of an action. A part of the tasks may have failed. */
interface Report {
  op: Action['op'];
  succeeded: number;
  failures: Failure[];
}

/** Runs actions on several tasks, in batches of the permitted size. */
export function useBatch() {
  const [progress, setProgress] = useState<{ done: number; count: number }>();
  const [report, setReport] = useState<Report>();

  /** @returns the tasks that failed */
  const run = async (tasks: readonly ListedTask[], action: Action): Promise<Failure[]> => {
    const failures: Failure[] = [];
    setReport(undefined);
    for (let start = 0; start < tasks.length; start += CHUNK_SIZE) {
      setProgress({ done: start, count: tasks.length });
      const chunk = tasks.slice(start, start + CHUNK_SIZE);
      const items = chunk.map(({ uniqueId }) => ({ ...action, uniqueId }));
      try {
        const { results } = await client.task.batch.mutate({ items });
        for (const { index, error } of results) {
          const task = chunk[index];
          if (error !== undefined && task !== undefined) failures.push({ task, message: error });
        }
      } catch (error) {
        // Later batches would fail for the same reason.
        const { message } = errorDetails(error);
        failures.push(...tasks.slice(start).map((task) => ({ task, message })));
        break;
      }
    }
    await queryClient.invalidateQueries(trpc.task.pathFilter());
    setProgress(undefined);
    setReport({ op: action.op, succeeded: tasks.length - failures.length, failures });
    return failures;
  };

  return { run, progress, report, closeReport: () => setReport(undefined) };
}

export type Batch = ReturnType<typeof useBatch>;
