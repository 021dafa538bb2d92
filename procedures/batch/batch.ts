import type { AnyTRPCRouter } from '@trpc/server';
import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import type { Statement } from '../../entities/statements/define-statement.ts';
import type { LockedTarget, Targets } from '../../entities/external-id/reservation.ts';
import type { ExternalIdType } from '../../entities/external-id/external-id.ts';
import { compileProcedure } from '../core/declaration/compile.ts';
import type { Call } from '../core/declaration/compile.ts';
import type { Context } from '../core/context.ts';
import { runOrDryRun } from '../core/dry-run.ts';
import { responseEntityTag } from '../schemas/entity-tag.ts';
import { ERRORS, procedureCode } from '../core/errors.ts';
import type { ProcedureErrorCode } from '../core/errors.ts';
import { restRouter } from '../core/declaration/rest-router.ts';
import type { BatchItem, BatchOperation } from '../schemas/batch.ts';
import { upsertOutput } from '../schemas/external-id.ts';
import { lockItems, singleInput } from './items.ts';
import type { LocatedItem } from './items.ts';

/** Items that count as one request. */
const ITEMS_PER_REQUEST = 10;

const UpsertOutput = upsertOutput(z.unknown());

/** How a batch calls the procedures of a resource. */
export interface BatchedResource<Item> {
  type: ExternalIdType;
  /** Input field with the uniqueId of the target. */
  idField: string;
  /** Names of the procedures in the router. */
  procedures: Readonly<Record<BatchOperation, string>>;
  /** Status of the single update. With 204 it has no body, so its result has no item. */
  updateStatus: 200 | 204;
  lockTargets: Statement<Targets, LockedTarget>;
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

export interface BatchRequest {
  atomic: boolean;
  dryRun: boolean;
  items: readonly BatchItem[];
}

/**
 * Compiles a batch of single requests, which run in one transaction. They are the real procedures, so permissions, validation
 * and rules hold for each item. An item that fails writes nothing and raises nothing in PostgreSQL, so the others continue.
 * Contract, section 11.
 */
export function compileBatch<Item>(
  router: AnyTRPCRouter,
  { type, idField, procedures, updateStatus, lockTargets, itemOutput }: BatchedResource<Item>,
) {
  const single = restRouter(router);
  const calls: Record<BatchOperation, Call> = {
    create: compileProcedure(single, procedures.create),
    update: compileProcedure(single, procedures.update),
    upsert: compileProcedure(single, procedures.upsert),
    delete: compileProcedure(single, procedures.delete),
  };

  const toResult = (index: number, status: number, item: Item): ItemResult<Item> => ({
    index,
    status,
    ...(status !== 204 && { item }),
    etag: responseEntityTag(item),
  });

  /** The result of the single request. @throws ApiError */
  async function runItem(ctx: Context, session: Session, located: LocatedItem): Promise<ItemResult<Item>> {
    const {
      index,
      item: { op, ifMatch },
    } = located;
    const itemContext = { ...ctx, session, ifMatch: ifMatch === undefined ? null : [ifMatch] };
    const output = await calls[op](itemContext, async () => singleInput(session, idField, located));
    if (op === 'delete') return { index, status: 204 };
    if (op === 'create') return toResult(index, 201, itemOutput.parse(output));
    if (op === 'update') return toResult(index, updateStatus, itemOutput.parse(output));
    const { upsert, item } = UpsertOutput.parse(output);
    return toResult(index, upsert === 'created' ? 201 : 200, itemOutput.parse(item));
  }

  async function runItems(ctx: Context, session: Session, { items, atomic, dryRun: isDryRun }: BatchRequest) {
    const context = { ...ctx, isDryRun };
    const results: ItemResult<Item>[] = [];
    const errors: { index: number; error: ApiError }[] = [];
    let fatalError: unknown;
    const runAndRecord = async (located: LocatedItem) => {
      const { index } = located;
      try {
        results[index] = await runItem(context, session, located);
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
      await Promise.all(group.map(runAndRecord));
      if (fatalError !== undefined) throw fatalError;
    }
    if (atomic && errors.length > 0) throw atomicError(type, errors);
    return { succeeded: items.length - errors.length, failed: errors.length, results };
  }

  return async (ctx: Omit<Context, 'session'> & { session: Session }, request: BatchRequest) => {
    const furtherRequests = Math.ceil(request.items.length / ITEMS_PER_REQUEST) - 1;
    if (furtherRequests > 0) await ctx.consumeRequests?.(furtherRequests);
    return runOrDryRun(ctx.session, request.dryRun, (session) =>
      session.transaction((inside) => runItems(ctx, inside, request)),
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
