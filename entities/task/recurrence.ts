import type { ApiError } from '../api-error.ts';

/** Longest recurrence, in characters. */
export const MAX_RECURRENCE_LENGTH = 500;

interface Recurring {
  recurrence: string | null;
  dueDate: string | null;
}

export const validateRecurrence = (_fields: Recurring): ApiError | undefined => undefined;

/** Due date and rule of the next task. */
export const nextOccurrence = (
  task: { recurrence: string; dueDate: string },
  _notBefore: string,
): { dueDate: string; recurrence: string } | undefined => task;

export const upcomingDates = (task: { recurrence: string; dueDate: string }, _count: number): string[] => [
  task.dueDate,
];
