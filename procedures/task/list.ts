import { z } from 'zod';
import { MAX_NAME_LENGTH } from '../../entities/company.ts';
import type { Session } from '../../database/session.ts';
import { MAX_ID, isId } from '../../entities/ids.ts';
import { notFound } from '../../entities/api-error.ts';
import { taskStatements } from '../../entities/statements/task/task.ts';
import { FIRST_TASK_PAGE, taskListStatements } from '../../entities/statements/task/list.ts';
import type { TaskFilters } from '../../entities/statements/task/list.ts';
import { LABEL_LIMITS } from '../../entities/task.ts';
import { integerOutput } from '../schemas/output.ts';
import { cursorCodec } from '../schemas/cursor.ts';
import { PAGE_SIZE, splitPage, pageOutput, paginationInput, requireLimitWithCursor } from '../schemas/pagination.ts';
import { bodyId, timestampInput, searchText, trimmedText } from '../schemas/fields.ts';
import { TaskOutput, calendarDate, frameworkParameter, priority, status } from './schemas.ts';

/** Filters and position of a list of tasks. Without a limit the tasks are only counted. */
export const TaskQuery = z.strictObject({
  ...frameworkParameter,
  status: status.optional().meta({ description: 'Status of the task' }),
  priority: priority.optional(),
  label: trimmedText(LABEL_LIMITS.maxLength)
    .meta({ description: 'A whole label, ignoring case', examples: ['access'] })
    .optional(),
  departmentId: bodyId('Department of the tasks').optional(),
  dueBefore: calendarDate.meta({ description: 'Last dueDate, included' }).optional(),
  dueAfter: calendarDate.meta({ description: 'First dueDate, included' }).optional(),
  updatedSince: timestampInput.meta({ description: 'First updatedAt, included' }).optional(),
  q: searchText(MAX_NAME_LENGTH)
    .meta({ description: 'Part of the title, ignoring case', examples: ['review'] })
    .optional(),
  ...paginationInput(PAGE_SIZE.max, 'without it tasks are only counted; required with `cursor`'),
});

const { items, nextCursor } = pageOutput(TaskOutput).shape;

export const TaskList = z
  .object({
    total: integerOutput(0, MAX_ID, 'Number of matching tasks of the framework, on all pages'),
    items: items.meta({ description: 'Newest first. Only with `limit`.' }).optional(),
    nextCursor: nextCursor.optional(),
  })
  .meta({ id: 'TaskList', examples: [{ total: 1 }] });

/**
 * Counts the matching tasks of a framework. With a limit it also returns a page, newest first.
 * @throws ApiError 404 if the company has no such framework
 */
export async function listTasks(session: Session, { limit, cursor, ...query }: z.infer<typeof TaskQuery>) {
  requireLimitWithCursor({ limit, cursor });
  const codec = limit === undefined ? undefined : await cursorCodec(session, 'task.list', query);
  const [after = FIRST_TASK_PAGE] = cursor === undefined ? [] : (codec?.decode(cursor) ?? []);
  const { framework } = query;
  const filters = toTaskFilters(query);
  const { count, page } = taskListStatements(filters);
  const { total } = isId(framework) ? await session.one(count, { ...filters, framework }) : { total: null };
  if (total === null) throw notFound('framework');
  if (limit === undefined || codec === undefined) return { total };
  const fetched = total === 0 ? [] : await session.run(page, { ...filters, framework, after, limit: limit + 1 });
  const { rows, last } = splitPage(fetched, limit);
  return {
    total,
    items: rows.map(taskStatements.toRecord),
    nextCursor: last === undefined ? null : codec.encode([last.uniqueId]),
  };
}

const toTaskFilters = (query: z.infer<typeof TaskQuery>): TaskFilters => ({
  status: query.status ?? null,
  priority: query.priority ?? null,
  label: query.label ?? null,
  departmentId: query.departmentId ?? null,
  dueBefore: query.dueBefore ?? null,
  dueAfter: query.dueAfter ?? null,
  updatedSince: query.updatedSince ?? null,
  q: query.q ?? null,
});
