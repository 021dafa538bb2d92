import { z } from 'zod';
import { MAX_NAME_LENGTH } from '../../entities/company/company.ts';
import type { Session } from '../../database/session.ts';
import { MAX_ID, isId } from '../../entities/ids.ts';
import { notFound } from '../../entities/api-error.ts';
import { taskStatements } from '../../entities/task/statements.ts';
import { taskListStatements } from '../../entities/task/list.ts';
import type { TaskFilters } from '../../entities/task/list.ts';
import { TASK_SORTS, positionAfter, taskPosition } from '../../entities/task/order.ts';
import type { TaskSort } from '../../entities/task/order.ts';
import { LABEL_LIMITS, OPEN_STATUSES, PRIORITY, TASK_STATUSES } from '../../entities/task/task.ts';
import { integerOutput } from '../schemas/output.ts';
import { readPage } from '../schemas/cursor.ts';
import { PAGE_SIZE, pageOutput, paginationInput, requireLimitWithCursor } from '../schemas/pagination.ts';
import {
  bodyId,
  enumInput,
  expected,
  expectedList,
  integerInput,
  timestampInput,
  searchText,
  trimmedText,
  valueList,
} from '../schemas/fields.ts';
import { forModels } from '../schemas/for-models.ts';
import { PRIORITY_DESCRIPTION, TaskOutput, calendarDate, frameworkParameter } from './schemas.ts';

/** Represents the open statuses in a filter. */
const OPEN = 'open';
const PRIORITIES = Array.from({ length: PRIORITY.max - PRIORITY.min + 1 }, (_, index) => PRIORITY.min + index);
const PRIORITY_TEXTS = PRIORITIES.map(String);
const expectedPriorities = expected(expectedList(PRIORITY_TEXTS));
const priorityNumber = integerInput(PRIORITY.min, PRIORITY.max, expectedPriorities).meta({ format: 'int32' });
const DEFAULT_SORT: TaskSort = '-createdAt';

/** Filters and position of a list of tasks. Without a limit the tasks are only counted. */
export const TaskQuery = z.strictObject({
  ...frameworkParameter,
  status: valueList([OPEN, ...TASK_STATUSES])
    .meta({
      description: `Statuses of the tasks, separated by commas; \`${OPEN}\` means ${OPEN_STATUSES.join(', ')}`,
      examples: [OPEN],
    })
    .optional(),
  // A number is the list of that number. REST sends text.
  priority: z
    .union([valueList(PRIORITY_TEXTS), priorityNumber], expectedPriorities)
    .transform(String)
    .meta({ description: `Priorities of the tasks, separated by commas: ${PRIORITY_DESCRIPTION}`, examples: ['1,2'] })
    .optional(),
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
  sort: enumInput(TASK_SORTS)
    .default(DEFAULT_SORT)
    .meta({
      description:
        'Order of the tasks, descending with `-`, then by uniqueId in the same direction. Tasks without a due date come last.',
    })
    .register(forModels, { description: 'Descending with `-`' }),
  ...paginationInput(
    PAGE_SIZE.max,
    'without it tasks are only counted; required with `cursor`',
    'Without it tasks are only counted',
  ),
});

const { items, nextCursor } = pageOutput(TaskOutput).shape;

export const TaskList = z
  .object({
    total: integerOutput(0, MAX_ID, 'Number of matching tasks of the framework, on all pages'),
    items: items.meta({ description: 'In the order of `sort`. Only with `limit`.' }).optional(),
    nextCursor: nextCursor.optional(),
  })
  .meta({ id: 'TaskList', examples: [{ total: 1 }] });

/**
 * Counts the matching tasks of a framework. With a limit it also returns a page.
 * @param countsOnce true if only the first page counts all tasks; the total of another page is its size
 * @throws ApiError 404 if the company has no such framework
 */
export async function listTasks(
  session: Session,
  { limit, cursor, sort, ...query }: z.infer<typeof TaskQuery>,
  countsOnce = false,
) {
  requireLimitWithCursor({ limit, cursor });
  const { framework } = query;
  const filters = toTaskFilters(query);
  const { count, page } = taskListStatements(filters, sort);
  const countTasks = async () => {
    const { total } = isId(framework) ? await session.one(count, { ...filters, framework }) : { total: null };
    if (total === null) throw notFound('framework');
    return total;
  };
  if (limit === undefined) return { total: await countTasks() };
  let counted: number | undefined;
  const { rows, nextCursor: next } = await readPage(session, {
    list: ['task.list', { framework, ...filters, sort }],
    request: { limit, cursor },
    fetch: async (encoded, maxRows) => {
      const position = positionAfter(sort, encoded);
      if (!countsOnce || cursor === undefined) counted = await countTasks();
      return counted === 0 ? [] : session.run(page, { ...filters, ...position, framework, limit: maxRows });
    },
    positionOf: (row) => taskPosition(sort, row),
  });
  return { total: counted ?? rows.length, items: rows.map(taskStatements.toRecord), nextCursor: next };
}

const toTaskFilters = (query: Omit<z.infer<typeof TaskQuery>, 'sort'>): TaskFilters => ({
  status: toStatuses(query.status),
  priority: toPriorities(query.priority),
  label: query.label ?? null,
  departmentId: query.departmentId ?? null,
  dueBefore: query.dueBefore ?? null,
  dueAfter: query.dueAfter ?? null,
  updatedSince: query.updatedSince ?? null,
  q: query.q ?? null,
});

/** The statuses of a filter, each once, in their own order. */
function toStatuses(list: string | undefined) {
  if (list === undefined) return null;
  const values = new Set(list.split(',').flatMap((value) => (value === OPEN ? OPEN_STATUSES : value)));
  return TASK_STATUSES.filter((status) => values.has(status));
}

/** The priorities of a filter, each once, ascending. */
function toPriorities(list: string | undefined) {
  if (list === undefined) return null;
  const values = new Set(list.split(',').map(Number));
  return PRIORITIES.filter((value) => values.has(value));
}
