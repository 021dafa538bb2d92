import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { notFound } from '../../entities/api-error.ts';
import {
  EXAMPLE_IDS,
  bodyId,
  enumInput,
  expected,
  forModels,
  integerInput,
  integerOutput,
  listInput,
  searchText,
  timestampInput,
  uniqueIdOf,
  valueList,
} from '../../entities/fields/schemas.ts';
import { MAX_ID, isId } from '../../entities/ids.ts';
import { isEvidenceRare } from '../../entities/evidence/expiring.ts';
import { TASK_SORTS, positionAfterTask, taskListStatements, taskPosition } from '../../entities/task/list.ts';
import type { TaskFilters, TaskScope, TaskSort } from '../../entities/task/list.ts';
import { taskStatements } from '../../entities/task/statements.ts';
import { MAX_NAME_LENGTH } from '../../entities/company/company.ts';
import { labelFilterInput } from '../../entities/fields/labels.ts';
import { calendarDate } from '../../entities/fields/values.ts';
import type { EvidenceFilter } from '../../entities/evidence/expiring.ts';
import { OPEN_STATUSES, PRIORITY, TASK_STATUSES } from '../../entities/task/task.ts';
import { requireFramework } from '../core/permissions.ts';
import { readPage } from '../schemas/cursor.ts';
import {
  LIST_BATCH_SIZE,
  PAGE_SIZE,
  pageOutput,
  paginationInput,
  requireLimitWithCursor,
} from '../schemas/pagination.ts';
import { evidenceFilterInput, toEvidenceFilter } from '../parent/expiring.ts';
import { integerListInput, memberListInput, toIntegers, toMembers } from '../schemas/lists.ts';
import { exportInput, exportOutput, withExternalId } from '../import/export.ts';
import { DUE, todayOf, withDue } from './due.ts';
import { TaskOutput, exportedFields, frameworkParameter } from './schemas.ts';

/** Represents the open statuses in a filter. */
const OPEN = 'open';
const EXPECTED_FRAMEWORKS = 'ids of frameworks, separated by commas';
const DEFAULT_SORT: TaskSort = '-createdAt';

/** Filters and position of every list of tasks. Without a limit the tasks are only counted. */
const filterInput = {
  status: valueList([OPEN, ...TASK_STATUSES])
    .meta({
      description: `Statuses of the tasks, separated by commas; \`${OPEN}\` means ${OPEN_STATUSES.join(', ')}`,
      examples: [[OPEN]],
    })
    .register(forModels, { description: `Comma-separated; \`${OPEN}\` means not closed`, pattern: undefined })
    .optional(),
  priority: integerListInput(PRIORITY)
    .meta({ description: `Priorities of the tasks, separated by commas: ${PRIORITY.description}`, examples: [[1, 2]] })
    .register(forModels, { description: PRIORITY.description })
    .optional(),
  label: labelFilterInput.optional(),
  departmentId: bodyId('Department of the tasks').optional(),
  assignee: memberListInput('Members to whom the tasks are given').optional(),
  vendor: uniqueIdOf('vendor')
    .meta({ description: 'A vendor of the tasks', format: 'uuid', examples: [EXAMPLE_IDS.vendor] })
    .register(forModels, { description: 'Id from `vendor_page`' })
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
  ...evidenceFilterInput,
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
export const TaskQuery = z.strictObject({ ...frameworkParameter, ...filterInput });

/** Input of the list of all frameworks. */
export const AllTasksQuery = z.strictObject({
  // A number is the list of that number. REST sends text.
  framework: z

    .union(
      [listInput('[0-9]{1,10}', EXPECTED_FRAMEWORKS), integerInput(1, MAX_ID).meta({ format: 'int32' })],
      expected(EXPECTED_FRAMEWORKS),
    )
    .transform(String)
    .meta({
      description: 'Ids of frameworks, separated by commas; by default all',
      examples: [[1, 2]],
      listOf: { type: 'integer', format: 'int32', minimum: 1, maximum: MAX_ID },
    })
    .register(forModels, { description: 'Ids from `framework_list`, comma-separated' })
    .optional(),
  ...filterInput,
});

/** Filters, order and position of a list, whatever its frameworks. */
type ListQuery = Omit<z.infer<typeof AllTasksQuery>, 'framework'>;

/** Parses the filters of a query. */
const toTaskFilters = (
  query: Omit<ListQuery, 'sort' | 'due' | 'evidence'>,
): Omit<TaskFilters, keyof EvidenceFilter | 'isEvidenceRare'> => ({
  status: toStatuses(query.status),
  priority: toIntegers(PRIORITY, query.priority),
  label: query.label ?? null,
  departmentId: query.departmentId ?? null,
  dueBefore: query.dueBefore ?? null,
  dueAfter: query.dueAfter ?? null,
  noDueDate: null,
  updatedSince: query.updatedSince ?? null,
  q: query.q ?? null,
  ...toAssignees(query.assignee),
  vendor: query.vendor ?? null,
});

/** The filters in the key of a cursor. Filters that came later are left out if they are not set, so that earlier cursors still work. */
const cursorFilters = ({
  noDueDate: _noDueDate,
  assignee,
  unassigned,
  vendor,
  ...earlier
}: ReturnType<typeof toTaskFilters>) => ({
  ...earlier,
  assignee: assignee ?? undefined,
  unassigned: unassigned ?? undefined,
  vendor: vendor ?? undefined,
});

/** The members of the filter `assignee`, and whether it names nobody. */
function toAssignees(list: string | undefined): Pick<TaskFilters, 'assignee' | 'unassigned'> {
  const { members, nobody } = toMembers(list);
  return { assignee: members, unassigned: nobody };
}

/** The statuses of a filter, each once, in their own order. */
function toStatuses(list: string | undefined) {
  if (list === undefined) return null;
  const values = new Set(list.split(',').flatMap((value) => (value === OPEN ? OPEN_STATUSES : value)));
  return TASK_STATUSES.filter((status) => values.has(status));
}

const { shape } = pageOutput(TaskOutput);

export const TaskList = z
  .object({
    total: integerOutput(0, MAX_ID, 'Number of matching tasks, on all pages'),
    items: shape.items.meta({ description: 'In the order of `sort`. Only with `limit`.' }).optional(),
    nextCursor: shape.nextCursor.optional(),
  })
  .meta({
    id: 'TaskList',
    description: 'Number of the matching tasks, and with `limit` a page of them',
    examples: [{ total: 1 }],
  });

/**
 * Counts the matching tasks of a framework. With a limit it also returns a page.
 * @param countsOnce true if only the first page counts all tasks; the total of another page is its size
 * @throws ApiError 404 if the company has no such framework
 */
export const listTasks = (session: Session, { framework, ...query }: z.infer<typeof TaskQuery>, countsOnce = false) =>
  readTasks(session, ['task.list', { framework }], { frameworks: [framework], activeOnly: false }, query, countsOnce);

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
  return readTasks(session, ['task.list-all', { framework: named }], scope, query, countsOnce);
}

/** @param identity tells the cursors of this list from those of others */
async function readTasks(
  session: Session,
  identity: readonly [name: string, scope: object],
  scope: TaskScope,
  { limit, cursor, sort, due, evidence, ...query }: ListQuery,
  countsOnce: boolean,
) {
  requireLimitWithCursor({ limit, cursor });
  const given = toTaskFilters(query);
  const dated = due === undefined ? given : withDue(given, due, await todayOf(session));
  const byEvidence = await toEvidenceFilter(session, evidence);
  const isRare = byEvidence.hasEvidence === true && (await session.one(isEvidenceRare, byEvidence)).rare;
  const filters = { ...dated, ...byEvidence, isEvidenceRare: isRare || null };
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
    list: [name, { ...listed, ...cursorFilters(given), due, evidence, sort }],
    request: { limit, cursor },
    fetch: async (encoded, maxRows) => {
      const position = positionAfterTask(sort, encoded);
      if (!countsOnce || cursor === undefined) counted = await countTasks();
      return counted === 0 ? [] : session.run(page, { ...selection, ...position, limit: maxRows });
    },
    positionOf: (row) => taskPosition(sort, row),
  });
  return { total: counted ?? rows.length, items: rows.map(taskStatements.toRecord), nextCursor: next };
}

/** Filters of the list, and position. */
export const TaskExportQuery = z.strictObject({ ...TaskQuery.shape, ...exportInput });

/** A task in an export. */
export const ExportedTask = z.object({ ...exportedFields, ...exportOutput });

export const TaskExportPage = pageOutput(ExportedTask, LIST_BATCH_SIZE).extend({ total: TaskList.shape.total });

/** Filters of the list of all frameworks, and position. */
export const AllTasksExportQuery = z.strictObject({ ...AllTasksQuery.shape, ...exportInput });

type ListedTasks = Awaited<ReturnType<typeof listTasks>>;

/** A page of an export. Only the first page has the number of all matching tasks. */
const toExportPage = ({ total, items = [], nextCursor = null }: ListedTasks, source: string | undefined) => ({
  total,
  items: withExternalId(items, source),
  nextCursor,
});

/** A page of the tasks of a framework. */
export const exportTasks = async (
  session: Session,
  { source, limit = LIST_BATCH_SIZE, ...query }: z.infer<typeof TaskExportQuery>,
) => toExportPage(await listTasks(session, { ...query, limit }, true), source);

/** A page of the tasks of all frameworks. */
export const exportAllTasks = async (
  session: Session,
  { source, limit = LIST_BATCH_SIZE, ...query }: z.infer<typeof AllTasksExportQuery>,
) => toExportPage(await listAllTasks(session, { ...query, limit }, true), source);
