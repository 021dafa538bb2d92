import { p } from '@mikro-orm/core';
import { TASK_STATUSES } from './task.ts';
import type { TaskStatus } from './task.ts';

const count = () => p.integer().default(0);

/** A column for the number of tasks of each status. */
export const statusCounts = () =>
  ({
    todo: count(),
    in_progress: count(),
    in_review: count(),
    done: count(),
    not_applicable: count(),
    canceled: count(),
  }) satisfies Record<TaskStatus, unknown>;

/** SQL for the columns of all statuses, such as `sum(c.todo) as todo, …`. */
export const eachStatus = (sqlOf: (status: TaskStatus) => string): string => TASK_STATUSES.map(sqlOf).join(', ');
