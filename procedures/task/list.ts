import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { notFound } from '../../entities/api-error.ts';
import { enumInput, forModels, integerOutput } from '../../entities/fields/schemas.ts';
import { integerList } from '../../entities/fields/filters.ts';
import { MAX_ID, isId } from '../../entities/ids.ts';
import { isEvidenceRare } from '../../entities/evidence/expiring.ts';
import { positionOf } from '../../entities/statements/order.ts';
import { taskFilters } from '../../entities/task/filters.ts';
import { ORDERS, TASK_SORTS, isLabelRare, positionAfterTask, taskListStatements } from '../../entities/task/list.ts';
import type { TaskScope, TaskSort } from '../../entities/task/list.ts';
import { taskStatements } from '../../entities/task/statements.ts';
import { requireFramework } from '../core/permissions.ts';
import { filtersOfKey, readPage } from '../schemas/cursor.ts';
import { checkSample, checkSampleExport, onlyPageOfSample, seedInput } from '../schemas/sample.ts';
import {
  LIST_BATCH_SIZE,
  PAGE_SIZE,
  pageOutput,
  paginationInput,
  requireLimitWithCursor,
} from '../schemas/pagination.ts';
import { toEvidenceFilter } from '../parent/expiring.ts';
import { exportInput, exportOutput, withExternalId } from '../import/export.ts';
import { toClosedFilter, todayOf, withDue } from './due.ts';
import { TaskOutput, exportedFields, frameworkParameter } from './schemas.ts';

const DEFAULT_SORT: TaskSort = '-createdAt';

/** Filters and position of every list of tasks. Without a limit the tasks are only counted. */
const filterInput = {
  ...taskFilters.shape,
  sort: enumInput(TASK_SORTS)
    .default(DEFAULT_SORT)
    .meta({
      description:
        'Order of the tasks, descending with `-`, then by uniqueId in the same direction; `sample` follows from `seed`. Tasks without a due date, or that are open with `-closedAt`, come last.',
    })
    .register(forModels, { description: 'Descending with `-`' }),
  ...seedInput,
  ...paginationInput(
    PAGE_SIZE.max,
    'without it tasks are only counted; required with `cursor`',
    'Without it tasks are only counted',
  ),
};

/** Input of the list of a framework. */
const taskQuery = z.strictObject({ ...frameworkParameter, ...filterInput });
export const TaskQuery = taskQuery.superRefine(checkSample);

/** Input of the list of all frameworks. */
const allTasksQuery = z.strictObject({
  framework: integerList('[0-9]{1,10}', 'ids of frameworks, separated by commas', { min: 1, max: MAX_ID })
    .meta({ description: 'Ids of frameworks, separated by commas; by default all', examples: [[1, 2]] })
    .register(forModels, { description: 'Ids from `framework_list`, comma-separated' })
    .optional(),
  ...filterInput,
});
export const AllTasksQuery = allTasksQuery.superRefine(checkSample);

/** Filters, order and position of a list, whatever its frameworks. */
type ListQuery = Omit<z.infer<typeof AllTasksQuery>, 'framework'>;

/** Filters that the key of every cursor has. */
const EARLIEST = ['status', 'priority', 'label', 'departmentId', 'dueBefore', 'dueAfter', 'updatedSince', 'q'] as const;

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
  { limit, cursor, sort, seed, due, evidence, closedAfter, closedBefore, ...query }: ListQuery,
  countsOnce: boolean,
) {
  requireLimitWithCursor({ limit, cursor });
  const given = taskFilters.parameters(query);
  const dated = due === undefined ? given : withDue(given, due, await todayOf(session));
  const byEvidence = await toEvidenceFilter(session, evidence);
  const isRare = byEvidence.hasEvidence === true && (await session.one(isEvidenceRare, byEvidence)).rare;
  const { label } = dated;
  const isRareLabel = label !== null && (await session.one(isLabelRare, { label })).rare;
  const closed = await toClosedFilter(session, { closedAfter, closedBefore });
  const filters = {
    ...dated,
    ...byEvidence,
    ...closed,
    isEvidenceRare: isRare || null,
    isLabelRare: isRareLabel || null,
  };
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
    list: [name, { ...listed, ...filtersOfKey(given, EARLIEST), due, evidence, closedAfter, closedBefore, sort, seed }],
    request: { limit, cursor },
    fetch: async (encoded, maxRows) => {
      const position = positionAfterTask(sort, encoded, seed);
      if (!countsOnce || cursor === undefined) counted = await countTasks();
      return counted === 0 ? [] : session.run(page, { ...selection, ...position, limit: maxRows });
    },
    positionOf: (row) => positionOf(ORDERS[sort], row),
  });
  return { total: counted ?? rows.length, items: rows.map(taskStatements.toRecord), nextCursor: next };
}

/** Filters of the list, and position. */
export const TaskExportQuery = taskQuery.extend(exportInput).superRefine(checkSampleExport);

/** A task in an export. */
export const ExportedTask = z.object({ ...exportedFields, ...exportOutput });

export const TaskExportPage = pageOutput(ExportedTask, LIST_BATCH_SIZE).extend({ total: TaskList.shape.total });

/** Filters of the list of all frameworks, and position. */
export const AllTasksExportQuery = allTasksQuery.extend(exportInput).superRefine(checkSampleExport);

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
) => onlyPageOfSample(query, toExportPage(await listTasks(session, { ...query, limit }, true), source));

/** A page of the tasks of all frameworks. */
export const exportAllTasks = async (
  session: Session,
  { source, limit = LIST_BATCH_SIZE, ...query }: z.infer<typeof AllTasksExportQuery>,
) => onlyPageOfSample(query, toExportPage(await listAllTasks(session, { ...query, limit }, true), source));
