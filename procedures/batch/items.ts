import type { Session } from '../../database/session.ts';
import { ApiError, notFound } from '../../entities/api-error.ts';
import { NO_FRAMEWORK, isId, isUniqueId } from '../../entities/ids.ts';
import type { Statement } from '../../entities/statements/define-statement.ts';
import { lockExternalIds } from '../../entities/external-id/reservation.ts';
import type { LockedTarget, Targets } from '../../entities/external-id/reservation.ts';
import type { ExternalIdType } from '../../entities/external-id/external-id.ts';
import { parseInput } from '../core/errors.ts';
import { requireFramework } from '../core/permissions.ts';
import type { BatchItem } from '../schemas/batch.ts';
import { ExternalReferenceInput } from '../schemas/external-id.ts';

/** An item with its index in the request, and the existing object that it targets. */
export interface LocatedItem {
  index: number;
  item: BatchItem;
  target: LockedTarget | undefined;
}

/** The external id of an item; undefined if it has none that could exist. */
function externalIdOf({ framework = NO_FRAMEWORK, source, externalId }: BatchItem) {
  const { success, data } = ExternalReferenceInput.safeParse({ source, externalId });
  return success && (framework === NO_FRAMEWORK || isId(framework)) ? { framework, ...data } : undefined;
}

/**
 * Locks all targets of a batch until the end of the transaction. Returns the items in groups that must run one after the other.
 * All batches take their locks in one order: external ids, then existing objects, then the task counts of frameworks, which
 * creations and deletions change. So two batches wait for each other and never deadlock.
 * @throws ApiError 400 if two items target one object by different ids
 */
export async function lockItems(
  session: Session,
  type: ExternalIdType,
  lockTargets: Statement<Targets, LockedTarget>,
  items: readonly BatchItem[],
): Promise<LocatedItem[][]> {
  const keys = items.map(externalIdOf).filter((key) => key !== undefined);
  const targets = {
    type,
    uniqueIds: items.map(({ uniqueId }) => uniqueId ?? '').filter(isUniqueId),
    frameworks: keys.map(({ framework }) => framework),
    sources: keys.map(({ source }) => source),
    externalIds: keys.map(({ externalId }) => externalId),
  };
  if (keys.length > 0) await session.run(lockExternalIds, targets);
  const hasTargets = keys.length + targets.uniqueIds.length > 0;
  const locked = hasTargets ? await session.run(lockTargets, targets) : [];
  const byKey = new Map<string, LockedTarget>();
  for (const target of locked) {
    byKey.set(target.uniqueId, target);
    for (const { source, externalId } of target.externalIds) {
      byKey.set(JSON.stringify([target.framework, source, externalId]), target);
    }
  }
  const located = items.map((item, index) => {
    const { uniqueId, framework = NO_FRAMEWORK, source, externalId } = item;
    return { index, item, target: byKey.get(uniqueId ?? JSON.stringify([framework, source, externalId])) };
  });
  requireDistinctTargets(located);
  const groups = Map.groupBy(located, ({ item, target }) => target?.framework ?? item.framework ?? NO_FRAMEWORK);
  return [...groups].toSorted(([one], [other]) => one - other).map(([, group]) => group);
}

function requireDistinctTargets(items: readonly LocatedItem[]): void {
  const indexById = new Map<string, number>();
  for (const { index, target } of items) {
    if (target === undefined) continue;
    const first = indexById.get(target.uniqueId);
    if (first !== undefined) {
      throw new ApiError('invalid_request', `items.${index}: expected another target than that of items.${first}`);
    }
    indexById.set(target.uniqueId, index);
  }
}

/**
 * Input of the single request of an item.
 * @param idField input field with the uniqueId of a target
 * @throws ApiError 400 if the body has a field that belongs to the path or the query, or the external id is malformed
 */
export function singleInput(session: Session, idField: string, { item, target }: LocatedItem): Record<string, unknown> {
  const { op, body = {}, mode, framework, source, externalId, uniqueId } = item;
  const upsertFields = {
    framework,
    source,
    externalId,
    mode,
    create: undefined,
    recreate: undefined,
    dryRun: undefined,
  };
  const fields: Record<string, unknown> =
    op === 'create'
      ? { framework }
      : op === 'upsert'
        ? upsertFields
        : { [idField]: uniqueId ?? idByReference(session, item, target) };
  const misplaced = Object.keys(fields).find((name) => Object.hasOwn(body, name));
  if (misplaced !== undefined) throw new ApiError('invalid_request', `${misplaced}: unknown field`);
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { ...body, ...Object.fromEntries(given) };
}

/** UniqueId of a target by external id; an empty text, which is not found, if there is none. @throws ApiError 400, 403, 404 */
function idByReference(
  { principal }: Session,
  { framework, source, externalId }: BatchItem,
  target: LockedTarget | undefined,
): string {
  if (framework !== undefined) {
    requireFramework(principal, framework);
    if (!isId(framework)) throw notFound('framework');
  }
  parseInput(ExternalReferenceInput, { source, externalId });
  return target?.uniqueId ?? '';
}
