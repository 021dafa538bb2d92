import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { notFound } from '../../entities/api-error.ts';
import { FIRST_ID, MAX_ID, isId } from '../../entities/ids.ts';
import { integerOutput } from '../../entities/fields/schemas.ts';
import {
  NO_PARENT,
  pageRequirements,
  requirementFilters,
  sampleRequirements,
} from '../../entities/requirement/list.ts';
import { findRefs, requirementStatements } from '../../entities/requirement/statements.ts';
import { SAMPLE_ORDER, positionWithSeed } from '../../entities/statements/sample.ts';
import { readPage } from '../schemas/cursor.ts';
import { checkSample, checkSampleExport, onlyPageOfSample, sampleInput } from '../schemas/sample.ts';
import { LIST_BATCH_SIZE, pageOutput, paginationInput } from '../schemas/pagination.ts';
import { requireExistingFramework } from '../task/write.ts';
import { todayOf } from '../task/due.ts';
import { frameworkParameter } from '../task/schemas.ts';
import { RequirementOutput, exportedFields } from './schemas.ts';
import { withTasks } from './write.ts';

const DEFAULT_PAGE_SIZE = 100;

const requirementQuery = z.strictObject({
  ...frameworkParameter,
  ...requirementFilters.shape,
  ...sampleInput,
  ...paginationInput(LIST_BATCH_SIZE, `${DEFAULT_PAGE_SIZE} by default`),
});

export const RequirementQuery = requirementQuery.superRefine(checkSample);

export const RequirementExportQuery = requirementQuery.superRefine(checkSampleExport);

export const RequirementPage = pageOutput(RequirementOutput, LIST_BATCH_SIZE).meta({
  id: 'RequirementPage',
  description: 'A page of the requirements of a framework, by position and ref',
});

/** A page of the requirements of a framework, in the order of lists. @throws ApiError 404 for an unknown framework */
export async function listRequirements(
  session: Session,
  { framework, limit = DEFAULT_PAGE_SIZE, cursor, ...query }: z.infer<typeof RequirementQuery>,
) {
  if (!isId(framework)) throw notFound('framework');
  const { parent, seed } = query;
  const filters = {
    ...requirementFilters.parameters(query),
    parentId: parent === undefined || parent === NO_PARENT ? null : parent,
    isTop: parent === NO_PARENT || null,
  };
  const today = await todayOf(session);
  const list = {
    list: ['requirement.list', { framework, ...query }] as const,
    request: { limit, cursor },
  };
  const paged =
    seed === undefined
      ? readPage(session, {
          ...list,
          fetch: ([afterId = FIRST_ID, afterRef = '', afterPosition = '-1'], maxRows) =>
            session.run(pageRequirements, {
              ...filters,
              framework,
              today,
              afterPosition: Number(afterPosition),
              afterRef,
              afterId,
              limit: maxRows,
            }),
          positionOf: ({ uniqueId, refOrder, position }) => [uniqueId, refOrder, String(position)],
        })
      : readPage(session, {
          ...list,
          fetch: (last, maxRows) =>
            session.run(sampleRequirements, {
              ...filters,
              ...positionWithSeed(SAMPLE_ORDER, last, seed),
              framework,
              today,
              limit: maxRows,
            }),
          positionOf: ({ uniqueId }) => [uniqueId],
        });
  const { rows, nextCursor } = await paged;
  if (rows.length === 0) await requireExistingFramework(session, framework);
  return { items: await withTasks(session, rows.map(requirementStatements.toRecord), today), nextCursor };
}

/** A requirement in an export. */
export const ExportedRequirement = z.object(exportedFields);

export const RequirementExportPage = pageOutput(ExportedRequirement, LIST_BATCH_SIZE).extend({
  total: integerOutput(0, MAX_ID, 'Number of requirements in this page'),
});

/** A page of an export. */
export async function exportRequirements(
  session: Session,
  { limit = LIST_BATCH_SIZE, ...query }: z.infer<typeof RequirementExportQuery>,
) {
  const { items, nextCursor } = await listRequirements(session, { ...query, limit });
  const parents = [...new Set(items.flatMap(({ parent }) => parent ?? []))];
  const refs = new Map(
    (parents.length === 0 ? [] : await session.run(findRefs, { uniqueIds: parents })).map(({ uniqueId, ref }) => [
      uniqueId,
      ref,
    ]),
  );
  return onlyPageOfSample(query, {
    items: items.map((item) => ({
      ...item,
      parentRef: item.parent === null ? null : (refs.get(item.parent) ?? null),
      ownerId: item.owner?.uniqueId ?? null,
    })),
    nextCursor,
    total: items.length,
  });
}
