import { isDeepStrictEqual } from 'node:util';
import { retryOnConflict } from '../../database/retry.ts';
import type { Session } from '../../database/session.ts';
import { ApiError, notFound } from '../../entities/api-error.ts';
import { toCreator } from '../../entities/statements/change-metadata.ts';
import type { CreatorColumns, MetadataRow } from '../../entities/statements/change-metadata.ts';
import type { Statement } from '../../entities/statements/define-statement.ts';
import { requireIfMatch } from '../../entities/statements/entity-tag.ts';
import type { IfMatch, Versioned } from '../../entities/statements/entity-tag.ts';
import type { ExternalIdKey } from '../../entities/external-id/reservation.ts';
import type { ExternalIds } from '../../entities/external-id/statements.ts';
import { EXTERNAL_ID_LIMITS } from '../../entities/external-id/external-id.ts';
import type { Context } from '../core/context.ts';
import type { Actor } from '../../entities/company/user.ts';

/** How a PUT treats an object that exists, and one that does not. Contract, section 10. */
export interface UpsertOptions {
  /** `merge` keeps fields that are not sent, `replace` sets most of them to their default. */
  mode: 'replace' | 'merge';
  /** False: 404 instead of creating. */
  create: boolean;
  /** True: a new object takes the external id of a deleted one. */
  recreate: boolean;
  ifMatch?: IfMatch | undefined;
  /** `If-Match`, also `*`: 412 if the object does not exist. */
  mustExist?: boolean | undefined;
  /** `If-None-Match: *`: 412 if the object exists. */
  createOnly?: boolean | undefined;
}

/** The preconditions of a request. In a batch only `ifMatch` is given. */
export const preconditions = ({ ifMatch, mustExist, createOnly }: Context) => ({ ifMatch, mustExist, createOnly });

export interface UpsertResult<Item> {
  upsert: 'created' | 'updated' | 'unchanged';
  item: Item;
}

interface Statements<Row, Item> {
  find: Statement<ExternalIdKey, { reserved_for: string } & ((Row & MetadataRow) | { creator_id: null })>;
  link: Statement<ExternalIdKey & { uniqueId: string }, Row & CreatorColumns>;
  toWritten(this: void, row: Row, createdBy: Actor, updatedBy: Actor): Item;
  toRecord(this: void, row: Row & MetadataRow): Item;
}

/** The steps of a PUT that depend on the type of the object. */
export interface UpsertSteps<Item> {
  /** Fields of the object after the request, or an error. `fields` of the object before have the same names. */
  fieldsBefore: (before: Item) => object;
  fieldsAfter: (before: Item) => object;
  /** Changes the object. @throws ApiError 404 if it is deleted meanwhile */
  change: (before: Item) => Promise<{ item: Item; isChanged: boolean }>;
  /** Requires the object that a new one would belong to. @throws ApiError 404 */
  requireParent?: () => Promise<void>;
  /** Creates an object. @param reservedId a deleted object with the external id @returns undefined if another request was first */
  create: (reservedId: string | undefined) => Promise<Item | undefined>;
}

/** Finds, upserts and links the objects of one type by external id. */
export function externalIdActions<Row, Item extends Versioned & ExternalIds & { uniqueId: string }>(
  type: string,
  statements: Statements<Row, Item>,
) {
  async function find(session: Session, key: ExternalIdKey): Promise<{ reservedId: string; item?: Item } | undefined> {
    const found = await session.first(statements.find, key);
    if (found === undefined) return undefined;
    const reservedId = found.reserved_for;
    return found.creator_id === null ? { reservedId } : { reservedId, item: statements.toRecord(found) };
  }

  /** @throws ApiError 404 for an unknown external id, and for one of a deleted object */
  async function read(session: Session, key: ExternalIdKey): Promise<Item> {
    const found = await find(session, key);
    if (found?.item === undefined) throw notFound(type);
    return found.item;
  }

  /**
   * Creates or changes the object with an external id. Each step is one statement with its own snapshot, and a step that a
   * concurrent request overtakes starts over, so no update is lost and no object is created twice.
   */
  function upsert(
    session: Session,
    key: ExternalIdKey,
    { create, recreate, ifMatch = null, mustExist = false, createOnly = false }: UpsertOptions,
    steps: UpsertSteps<Item>,
  ): Promise<UpsertResult<Item>> {
    return retryOnConflict(async () => {
      const found = await find(session, key);
      if (found?.item !== undefined) {
        const { item: before } = found;
        if (createOnly) throw new ApiError('precondition_failed', 'If-None-Match: this already exists');
        if (isDeepStrictEqual(steps.fieldsAfter(before), steps.fieldsBefore(before))) {
          requireIfMatch(ifMatch, before);
          return { upsert: 'unchanged', item: before };
        }
        const change = await steps.change(before).catch(undefinedIfNotFound);
        return change && { upsert: change.isChanged ? 'updated' : 'unchanged', item: change.item };
      }
      if (!create) throw notFound(type);
      if (found !== undefined && !recreate) {
        const message = `externalId: reserved for a deleted ${type}; recreate=true creates a new one`;
        throw new ApiError('conflict', message);
      }
      if (mustExist || ifMatch !== null) {
        await steps.requireParent?.();
        throw new ApiError('precondition_failed', `If-Match: there is no such ${type}`);
      }
      const item = await steps.create(found?.reservedId);
      return item && { upsert: 'created', item };
    });
  }

  /**
   * Adds an external id to an object. Writes nothing if it has the id already.
   * @param read reads the object, or throws
   * @throws ApiError 409 for an id that is taken, 422 for more ids than an object may have
   */
  function link(session: Session, key: ExternalIdKey, readItem: () => Promise<Item>): Promise<Item> {
    return retryOnConflict(async () => {
      const before = await readItem();
      const { source, externalId } = key;
      if (before.externalIds.some((linked) => linked.source === source && linked.externalId === externalId))
        return before;
      if (before.externalIds.length >= EXTERNAL_ID_LIMITS.perObject) {
        throw new ApiError(
          'unprocessable',
          `externalId: expected at most ${EXTERNAL_ID_LIMITS.perObject} for a ${type}`,
        );
      }
      const row = await session.first(statements.link, { ...key, uniqueId: before.uniqueId });
      if (row !== undefined) return statements.toWritten(row, toCreator(row), session.principal.user);
      // Reserved, also for a deleted object. Otherwise the object itself has changed: retry.
      const found = await find(session, key);
      if (found !== undefined && found.reservedId !== before.uniqueId)
        throw new ApiError('conflict', `externalId: taken by another ${type}`);
      return undefined;
    });
  }

  return { read, upsert, link };
}

/** Handler of errors: undefined in place of 404. */
export function undefinedIfNotFound(error: unknown): undefined {
  if (error instanceof ApiError && error.code === 'not_found') return undefined;
  throw error;
}
