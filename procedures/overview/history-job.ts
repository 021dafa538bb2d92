import { recordTaskHistory } from '../../entities/task/status-history.ts';
import type { IntervalJob } from '../jobs/job.ts';

/** Stores the numbers of tasks as those of today. Several processes on one database store the same numbers. */
export const taskHistory: IntervalJob = {
  kind: 'interval',
  name: 'record-task-history',
  failure: 'task history: recording failed',
  intervalMs: 900_000,
  run: (session) => session.one(recordTaskHistory, {}),
};
