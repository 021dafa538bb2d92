import type { AnyTRPCRouter } from '@trpc/server';
import { z } from 'zod';
import type { ExternalIdType } from '../../entities/external-id/external-id.ts';
import type { Session } from '../../database/session.ts';
import { ApiError, found, notFound } from '../../entities/api-error.ts';
import type { Statement } from '../../entities/statements/define-statement.ts';
import { lockExternalIds } from '../../entities/external-id/reservation.ts';
import type { LockedTarget, Targets } from '../../entities/external-id/reservation.ts';
import { NO_FRAMEWORK, isId, isUniqueId } from '../../entities/ids.ts';
import { compileSteps } from '../core/declaration/compile.ts';
import type { Steps } from '../core/declaration/compile.ts';
import type { Context } from '../core/context.ts';
import { runOrDryRun } from '../core/dry-run.ts';
import { responseEntityTag } from '../schemas/entity-tag.ts';
import { ERRORS, parseInput, procedureCode } from '../core/errors.ts';
import type { ProcedureErrorCode } from '../core/errors.ts';
import { restRouter } from '../core/declaration/rest-router.ts';
import { MAX_BATCH_BYTES, batchOutput } from '../schemas/batch.ts';
import type { BatchItem, BatchOperation } from '../schemas/batch.ts';
import { ExternalReferenceInput, upsertOutput } from '../schemas/external-id.ts';
import { requireFramework } from '../core/permissions.ts';
import type { Meta } from '../core/declaration/meta.ts';
import { companyProcedure } from '../core/trpc.ts';
import { slices } from '../core/slices.ts';

/** Items that count as one request. */
const ITEMS_PER_REQUEST = 10;

const UpsertOutput = upsertOutput(z.unknown());

/** Requirements have no external ids. */
type BatchedType = ExternalIdType | 'requirement';

/** How a batch calls the procedures of a resource. */
interface BatchedResource<Item> {
  type: BatchedType;
  /** Input field with the uniqueId of the target. */
  idField: string;
  /** Names of the procedures in the router. Without external ids there is none for an upsert. */
  procedures: Readonly<Record<'create' | 'update' | 'delete', string> & { upsert?: string }>;
  /** Status of the single update. With 204 it has no body, so its result has no item. */
  updateStatus: 200 | 204;
  lockTargets: Statement<Targets, LockedTarget>;
  /** Locks the framework of all items, which the path has. No row without it. */
  lockFramework?: Statement<{ framework: number }, object>;
  itemOutput: z.ZodType<Item, Item>;
}

interface ItemResult<Item> {
  index: number;
  status: number;
  item?: Item;
  etag?: string;
  error?: string;
  code?: ProcedureErrorCode;
}

interface BatchRequest {
  /** Set if all items are of one framework, which the path has. Others are not found. */
  framework?: number | undefined;
  atomic: boolean;
  dryRun: boolean;
  items: readonly BatchItem[];
}

/** Procedure for a batch of single requests to the procedures of a resource. Contract, section 11. */
export function batchProcedure<Item, Input>(
  router: AnyTRPCRouter,
  {
    input: schema,
    resultId,
    openapi,
    ...resource
  }: BatchedResource<Item> & {
    input: z.ZodType<BatchRequest, Input>;
    /** Prefix of the schema names of the results in the OpenAPI document. */
    resultId: string;
    openapi: Omit<NonNullable<Meta['openapi']>, 'method'>;
  },
) {
  const runBatch = compileBatch(router, resource);
  return companyProcedure('any scope')
    .meta({
      mcp: {
        description:
          'Each item is a single request with its own result; all run in one transaction. A batch counts as one request for every ' +
          '10 items. Each object may be the target of one item only.',
        listedScopes: [`${resource.type}:write`, `${resource.type}:delete`],
        mayCreate: true,
      },
      openapi: { method: 'POST', ...openapi, errorResponses: [403, 404, 409, 412, 422] },
      body: { kind: 'json', queryFields: ['dryRun'], maxJsonBytes: MAX_BATCH_BYTES },
    })
    .input(schema)
    .output(batchOutput(resource.itemOutput, resultId))
    .mutation(({ ctx, input }) => runBatch(ctx, input));
}

/**
 * Compiles a batch of single requests, which run in one transaction. They are the real procedures, so permissions, validation
 * and rules hold for each item. An item that fails writes nothing and raises nothing in PostgreSQL, so the others continue.
 * Contract, section 11.
 */
function compileBatch<Item>(
  router: AnyTRPCRouter,
  { type, idField, procedures, updateStatus, lockTargets, lockFramework, itemOutput }: BatchedResource<Item>,
) {
  const single = restRouter(router);
  const operations: Record<BatchOperation, Steps> = {
    create: compileSteps(single, procedures.create),
    update: compileSteps(single, procedures.update),
    // The schema of a batch without external ids admits no upsert.
    upsert: compileSteps(single, procedures.upsert ?? procedures.update),
    delete: compileSteps(single, procedures.delete),
  };

  const toResult = (index: number, status: number, item: Item): ItemResult<Item> => ({
    index,
    status,
    ...(status !== 204 && { item }),
    etag: responseEntityTag(item),
  });

  /**
   * Validates the inputs of the single requests before the transaction, which holds a connection and locks. The object of an external id
   * is not known yet; its id needs no validation.
   */
  const validateItems = ({ principal }: Session, items: readonly BatchItem[]) =>
    Promise.allSettled(
      items.map((item) =>
        slices.run(principal.company, () =>
          operations[item.op].validate(singleInput(idField, item, item.uniqueId ?? '')),
        ),
      ),
    );

  /** The result of the single request. @throws ApiError */
  async function runItem(
    ctx: Context,
    session: Session,
    located: ValidatedItem,
    ofFramework: number | undefined,
  ): Promise<ItemResult<Item>> {
    const { index, item, target, validation } = located;
    const { op, ifMatch } = item;
    const itemContext = { ...ctx, session, ifMatch: ifMatch === undefined ? null : [ifMatch] };
    const isElsewhere = ofFramework !== undefined && target?.framework !== ofFramework;
    const id = () => (!hasIdInput(op) || isElsewhere ? '' : (item.uniqueId ?? idByReference(session, item, target)));
    const output = await operations[op].call(
      itemContext,
      async () => singleInput(idField, item, id()),
      async () => {
        const given = hasIdInput(op) ? { [idField]: id() } : {};
        if (validation?.status !== 'fulfilled') throw validation?.reason;
        return { ...Object(validation.value), ...given };
      },
    );
    if (op === 'delete') return { index, status: 204 };
    if (op === 'create') return toResult(index, 201, itemOutput.parse(output));
    if (op === 'update') return toResult(index, updateStatus, itemOutput.parse(output));
    const { upsert, item: saved } = UpsertOutput.parse(output);
    return toResult(index, upsert === 'created' ? 201 : 200, itemOutput.parse(saved));
  }

  async function runItems(
    ctx: Context,
    session: Session,
    { items, framework, atomic, dryRun: isDryRun, validations }: BatchRequest & { validations: readonly Validation[] },
  ) {
    if (framework !== undefined && lockFramework !== undefined) {
      const locked = isId(framework) ? await session.first(lockFramework, { framework }) : undefined;
      found(locked, 'framework');
    }
    const context = { ...ctx, isDryRun };
    const results: ItemResult<Item>[] = [];
    const errors: { index: number; error: ApiError }[] = [];
    let fatalError: unknown;
    const runAndRecord = async (located: ValidatedItem) => {
      const { index } = located;
      try {
        results[index] = await runItem(context, session, located, framework);
      } catch (error) {
        if (error instanceof ApiError && ERRORS[error.reason].status < 500) {
          errors.push({ index, error });
          results[index] = {
            index,
            status: ERRORS[error.reason].status,
            error: error.message,
            code: procedureCode(error.code),
          };
        } else fatalError ??= error; // the first one: it aborts the transaction, and later ones follow from it
      }
    };
    // The statements of one group are in flight together on the connection of the transaction.
    for (const group of await lockItems(session, type, lockTargets, items)) {
      await Promise.all(group.map((located) => runAndRecord({ ...located, validation: validations[located.index] })));
      if (fatalError !== undefined) throw fatalError;
    }
    if (atomic && errors.length > 0) throw atomicError(type, errors);
    return { succeeded: items.length - errors.length, failed: errors.length, results };
  }

  return async (ctx: Omit<Context, 'session'> & { session: Session }, { items: given, ...options }: BatchRequest) => {
    const { framework } = options;
    const items =
      framework === undefined ? given : given.map((item) => (item.op === 'create' ? { ...item, framework } : item));
    const request = { ...options, items };
    const furtherRequests = Math.ceil(request.items.length / ITEMS_PER_REQUEST) - 1;
    if (furtherRequests > 0) await ctx.consumeRequests?.(furtherRequests);
    const validations = await validateItems(ctx.session, request.items);
    return runOrDryRun(ctx.session, request.dryRun, (session) =>
      session.transaction((inside) => runItems(ctx, inside, { ...request, validations })),
    );
  };
}

/** The error that rejects an atomic batch: the first one about fields, else the first one. */
function atomicError(type: string, errors: readonly { index: number; error: ApiError }[]): ApiError {
  const ordered = errors.toSorted((one, other) => one.index - other.index);
  const rejected = ordered.find(({ error }) => error.code === 'invalid_request') ?? ordered[0];
  if (rejected === undefined) throw new Error('atomicError: expected an error');
  const { index, error } = rejected;
  const prefix = `${type}: `;
  // `vendor: not found` becomes `items.7: not found`, and `name: required` becomes `items.7.name: required`.
  const message = error.message.startsWith(prefix)
    ? `items.${index}: ${error.message.slice(prefix.length)}`
    : `items.${index}.${error.message}`;
  return new ApiError(error.reason, message, { cause: error });
}

/** An item with its index in the request, and the existing object that it targets. */
interface LocatedItem {
  index: number;
  item: BatchItem;
  target: LockedTarget | undefined;
}

/** The validated input of an item, or its error. */
type Validation = PromiseSettledResult<unknown>;

interface ValidatedItem extends LocatedItem {
  validation: Validation | undefined;
}

/** True if the id of the object is in the input of the single request. */
const hasIdInput = (op: BatchOperation) => op === 'update' || op === 'delete';

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
async function lockItems(
  session: Session,
  type: BatchedType,
  lockTargets: Statement<Targets, LockedTarget>,
  items: readonly BatchItem[],
): Promise<LocatedItem[][]> {
  const keys = items.map(externalIdOf).filter((key) => key !== undefined);
  const targets = {
    uniqueIds: items.map(({ uniqueId }) => uniqueId ?? '').filter(isUniqueId),
    frameworks: keys.map(({ framework }) => framework),
    sources: keys.map(({ source }) => source),
    externalIds: keys.map(({ externalId }) => externalId),
  };
  if (keys.length > 0 && type !== 'requirement') await session.run(lockExternalIds, { ...targets, type });
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
 * @param id uniqueId of the target
 * @throws ApiError 400 if the body has a field that belongs to the path or the query
 */
function singleInput(idField: string, item: BatchItem, id: string): Record<string, unknown> {
  const { op, body = {}, mode, framework, source, externalId } = item;
  const upsertFields = {
    framework,
    source,
    externalId,
    mode,
    create: undefined,
    recreate: undefined,
    dryRun: undefined,
  };
  const fields: Record<string, unknown> = hasIdInput(op)
    ? { [idField]: id }
    : op === 'upsert'
      ? upsertFields
      : { framework };
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
