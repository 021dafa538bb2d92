import { ApiError } from '../../api-error.ts';
import { requires, violationOf } from '../../fields/rules.ts';
import { datesOf } from './dates.ts';
import { parseRule } from './parse.ts';
import type { Rule } from './parse.ts';

/** Longest recurrence, in characters. */
export const MAX_RECURRENCE_LENGTH = 500;

/** Not one of the rules of the resource, because the error for an invalid recurrence comes before it. */
export const RECURRENCE_HAS_DUE_DATE = requires('recurrence', 'dueDate', 'from which the rule starts');

/** A task that comes back. `recurrence` is a valid rule, `dueDate` the date from which it counts. */
export interface RecurringTask {
  recurrence: string;
  dueDate: string;
}

/** The first value of a generator, which may end without one. */
const firstOf = <T>(values: Iterable<T>): T | undefined => values[Symbol.iterator]().next().value;

/** Rule, or error 422 that says which part is wrong. */
function parsed(recurrence: string): Rule | ApiError {
  try {
    return parseRule(recurrence);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** Error 422, naming the field, if the rule is not one of contract, section 22, or contradicts the due date. */
export function validateRecurrence({
  recurrence,
  dueDate,
}: {
  recurrence: string | null;
  dueDate: string | null;
}): ApiError | undefined {
  if (recurrence === null) return undefined;
  const rule = parsed(recurrence);
  if (rule instanceof ApiError) return rule;
  if (dueDate === null) return violationOf([RECURRENCE_HAS_DUE_DATE], { recurrence, dueDate });
  if (rule.until !== undefined && rule.until < dueDate) {
    return new ApiError('unprocessable', `recurrence: UNTIL ${rule.until} is before dueDate ${dueDate}`);
  }
  if (rule.count === undefined && rule.until === undefined && firstOf(datesOf(rule, dueDate)) === undefined) {
    return new ApiError('unprocessable', `recurrence: expected a rule with a date after dueDate ${dueDate}`);
  }
  return undefined;
}

/**
 * Due date and rule of the next task; undefined if the series ends. `notBefore`: today, YYYY-MM-DD. COUNT of the next rule is one
 * less, and dates before today do not count. After the year 2999 the series ends.
 */
export function nextOccurrence(task: RecurringTask, notBefore: string): RecurringTask | undefined {
  const rule = parseRule(task.recurrence);
  if (rule.count === 1) return undefined;
  const dueDate = firstOf(datesOf(rule, task.dueDate, notBefore));
  if (dueDate === undefined) return undefined;
  const { count } = rule;
  const recurrence =
    count === undefined
      ? task.recurrence
      : task.recurrence.replace(/(COUNT=)\d+/iu, (_, name: string) => `${name}${count - 1}`);
  return { dueDate, recurrence };
}

/** The next dates after the due date, at most `count`. Honors COUNT, the number of tasks left with this one, and UNTIL. */
export function upcomingDates(task: RecurringTask, count: number): string[] {
  const rule = parseRule(task.recurrence);
  const limit = Math.min(count, (rule.count ?? Infinity) - 1);
  return datesOf(rule, task.dueDate).take(Math.max(limit, 0)).toArray();
}
