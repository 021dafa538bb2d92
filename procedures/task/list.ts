import { z } from 'zod';
import { MAX_NAME_LENGTH } from '../../entities/company/company.ts';
import type { Session } from '../../database/session.ts';
import { MAX_ID, isId, isUniqueId } from '../../entities/ids.ts';
import { notFound } from '../../entities/api-error.ts';
import { taskStatements } from '../../entities/task/statements.ts';
import { taskListStatements } from '../../entities/task/list.ts';
import type { TaskFilters, TaskScope } from '../../entities/task/filters.ts';
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
  listInput,
  timestampInput,
  searchText,
  textInput,
  trimmedText,
  valueList,
} from '../schemas/fields.ts';
import { forModels } from '../schemas/for-models.ts';
import { requireFramework } from '../core/permissions.ts';
import { DUE, todayOf, withDue } from './due.ts';
import { PRIORITY_DESCRIPTION, TaskOutput, calendarDate, frameworkParameter } from './schemas.ts';

/** Represents the open statuses in a filter. */
const OPEN = 'open';
/** Represents tasks without an assignee in a filter. */
const NOBODY = 'none';
const EXPECTED_ASSIGNEES = `uniqueIds of members, or ${NOBODY}, separated by commas`;
/** A hundred uniqueIds with their commas. */
const MAX_ASSIGNEES_LENGTH = 3700;
const EXPECTED_FRAMEWORKS = 'ids of frameworks, separated by commas';
const PRIORITIES = Array.from({ length: PRIORITY.max - PRIORITY.min + 1 }, (_, index) => PRIORITY.min + index);
const PRIORITY_TEXTS = PRIORITIES.map(String);
const expectedPriorities = expected(expectedList(PRIORITY_TEXTS));
const priorityNumber = integerInput(PRIORITY.min, PRIORITY.max, expectedPriorities).meta({ format: 'int32' });
const DEFAULT_SORT: TaskSort = '-createdAt';

/** Filters and position of every list of tasks. Without a limit the tasks are only counted. */
const filters = {
  status: valueList([OPEN, ...TASK_STATUSES])
    .meta({
      description: `Statuses of the tasks, separated by commas; \`${OPEN}\` means ${OPEN_STATUSES.join(', ')}`,
      examples: [OPEN],
    })
    .register(forModels, { description: `\`${OPEN}\` means ${OPEN_STATUSES.join(', ')}` })
    .optional(),
  // A number is the list of that number. REST sends text.
  priority: z
    .union([valueList(PRIORITY_TEXTS), priorityNumber], expectedPriorities)
    .transform(String)
    .meta({ description: `Priorities of the tasks, separated by commas: ${PRIORITY_DESCRIPTION}`, examples: ['1,2'] })
    .register(forModels, { description: PRIORITY_DESCRIPTION })
    .optional(),
  label: trimmedText(LABEL_LIMITS.maxLength)
    .meta({ description: 'A whole label, ignoring case', examples: ['access'] })
    .optional(),
  departmentId: bodyId('Department of the tasks').optional(),
  assignee: textInput(EXPECTED_ASSIGNEES, MAX_ASSIGNEES_LENGTH)
    .refine(
      (list) => list.split(',').every((value) => value === NOBODY || isUniqueId(value)),
      expected(EXPECTED_ASSIGNEES),
    )
    .meta({
      description: `Members to whom the tasks are given: uniqueIds separated by commas; \`${NOBODY}\` for tasks of nobody`,
      examples: [NOBODY],
    })
    .register(forModels, { description: `Ids from \`member_list\` or \`${NOBODY}\`` })
    .optional(),
  due: enumInput(DUE)
    .meta({
      description:
        '`overdue`: open and due before today; `week`: open and due from today to seven days later; `none`: without a due date. ' +
        'Today is that of the time zone of the company.',
      examples: ['week'],
    })
    .register(forModels, {
      description: '`week`: from today to seven days later',
    })
    .optional(),
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
};

/** Input of the list of a framework. */
export const TaskQuery = z.strictObject({ ...frameworkParameter, ...filters });

/** Input of the list of all frameworks. */
export const AllTasksQuery = z.strictObject({
  // A number is the list of that number. REST sends text.
  framework: z

    .union([listInput('[0-9]{1,10}', EXPECTED_FRAMEWORKS), integerInput(1, MAX_ID)], expected(EXPECTED_FRAMEWORKS))
    .transform(String)
    .meta({ description: 'Ids of frameworks, separated by commas; by default all', examples: ['1,2'] })
    .register(forModels, { description: 'Ids from `framework_list`, separated by commas' })
    .optional(),
  ...filters,
});

const { items, nextCursor } = pageOutput(TaskOutput).shape;

export const TaskList = z
  .object({
    total: integerOutput(0, MAX_ID, 'Number of matching tasks, on all pages'),
    items: items.meta({ description: 'In the order of `sort`. Only with `limit`.' }).optional(),
    nextCursor: nextCursor.optional(),
  })
  .meta({ id: 'TaskList', examples: [{ total: 1 }] });

type Query = Omit<z.infer<typeof AllTasksQuery>, 'framework'>;

/**
 * Counts the matching tasks of a framework. With a limit it also returns a page.
 * @param countsOnce true if only the first page counts all tasks; the total of another page is its size
 * @throws ApiError 404 if the company has no such framework
 */
export const listTasks = (session: Session, { framework, ...query }: z.infer<typeof TaskQuery>, countsOnce = false) =>
  list(session, ['task.list', { framework }], { frameworks: [framework], activeOnly: false }, query, countsOnce);

/**
 * The same for all frameworks that the principal may access, or those that it names.
 * @throws ApiError 403 for a framework that the principal may not access, 404 if the company lacks one
 */
export async function listAllTasks(
  session: Session,
  { framework, ...query }: z.infer<typeof AllTasksQuery>,
  countsOnce = false,
) {
  const { principal } = session;
  const named =
    framework === undefined ? null : [...new Set(framework.split(',').map(Number))].toSorted((a, b) => a - b);
  for (const id of named ?? []) requireFramework(principal, id);
  const scope = { frameworks: named ?? principal.frameworks, activeOnly: named === null && query.due !== undefined };
  return list(session, ['task.list-all', { framework: named }], scope, query, countsOnce);
}

/** @param identity tells the cursors of this list from those of others */
async function list(
  session: Session,
  identity: readonly [name: string, scope: object],
  scope: TaskScope,
  { limit, cursor, sort, due, ...query }: Query,
  countsOnce: boolean,
) {
  requireLimitWithCursor({ limit, cursor });
  const given = toTaskFilters(query);
  const filters = due === undefined ? given : withDue(given, due, await todayOf(session));
  const { count, page } = taskListStatements(filters, sort, scope);
  const selection = { ...filters, ...scope };
  const countTasks = async () => {
    const isKnown = scope.frameworks?.every(isId) ?? true;
    const { total } = isKnown ? await session.one(count, selection) : { total: null };
    if (total === null) throw notFound('framework');
    return total;
  };
  if (limit === undefined) return { total: await countTasks() };
  let counted: number | undefined;
  const [name, listed] = identity;
  const { rows, nextCursor: next } = await readPage(session, {
    list: [name, { ...listed, ...cursorFilters(given), due, sort }],
    request: { limit, cursor },
    fetch: async (encoded, maxRows) => {
      const position = positionAfter(sort, encoded);
      if (!countsOnce || cursor === undefined) counted = await countTasks();
      return counted === 0 ? [] : session.run(page, { ...selection, ...position, limit: maxRows });
    },
    positionOf: (row) => taskPosition(sort, row),
  });
  return { total: counted ?? rows.length, items: rows.map(taskStatements.toRecord), nextCursor: next };
}

const toTaskFilters = (query: Omit<Query, 'sort' | 'due'>): TaskFilters => ({
  status: toStatuses(query.status),
  priority: toPriorities(query.priority),
  label: query.label ?? null,
  departmentId: query.departmentId ?? null,
  dueBefore: query.dueBefore ?? null,
  dueAfter: query.dueAfter ?? null,
  noDueDate: null,
  updatedSince: query.updatedSince ?? null,
  q: query.q ?? null,
  ...toAssignees(query.assignee),
});

/** The filters in the key of a cursor. Filters that came later are left out if they are not set, so that earlier cursors still work. */
const cursorFilters = ({ noDueDate: _noDueDate, assignee, unassigned, ...earlier }: TaskFilters) => ({
  ...earlier,
  assignee: assignee ?? undefined,
  unassigned: unassigned ?? undefined,
});

/** The members of a filter, each once, in order, and whether it names nobody. */
function toAssignees(list: string | undefined): Pick<TaskFilters, 'assignee' | 'unassigned'> {
  if (list === undefined) return { assignee: null, unassigned: null };
  const values = new Set(list.split(','));
  const unassigned = values.delete(NOBODY) || null;
  return { assignee: [...values].toSorted(), unassigned };
}

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
