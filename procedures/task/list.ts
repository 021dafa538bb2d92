import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { notFound } from '../../entities/api-error.ts';
import { integerOutput } from '../../entities/fields/schemas.ts';
import { MAX_ID, isId } from '../../entities/ids.ts';
import { isEvidenceRare } from '../../entities/evidence/expiring.ts';
import { positionAfterTask, taskListStatements, taskPosition } from '../../entities/task/list.ts';
import type { TaskScope } from '../../entities/task/list.ts';
import { taskStatements } from '../../entities/task/statements.ts';
import { requireFramework } from '../core/permissions.ts';
import { readPage } from '../schemas/cursor.ts';
import { pageOutput, requireLimitWithCursor } from '../schemas/pagination.ts';
import { toEvidenceFilter } from '../parent/expiring.ts';
import { todayOf, withDue } from './due.ts';
import { cursorFilters, toTaskFilters } from './query.ts';
import type { AllTasksQuery, ListQuery, TaskQuery } from './query.ts';
import { TaskOutput } from './schemas.ts';

const { items, nextCursor } = pageOutput(TaskOutput).shape;

export const TaskList = z
  .object({
    total: integerOutput(0, MAX_ID, 'Number of matching tasks, on all pages'),
    items: items.meta({ description: 'In the order of `sort`. Only with `limit`.' }).optional(),
    nextCursor: nextCursor.optional(),
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
