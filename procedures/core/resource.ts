import { isDeepStrictEqual } from 'node:util';
import { retryOnConflict } from '../../database/retry.ts';
import type { Session } from '../../database/session.ts';
import { notFound } from '../../entities/api-error.ts';
import { isUniqueId } from '../../entities/ids.ts';
import { toCreator } from '../../entities/statements/change-metadata.ts';
import type { MetadataRow, UpdateResult } from '../../entities/statements/change-metadata.ts';
import type { Statement } from '../../entities/statements/define-statement.ts';
import { requireIfMatch } from '../../entities/statements/entity-tag.ts';
import type { IfMatch, Versioned } from '../../entities/statements/entity-tag.ts';
import type { Actor } from '../../entities/company/user.ts';

interface RowKey {
  uniqueId: string;
}
interface RowMatch extends RowKey {
  ifMatch: IfMatch;
}

/** The statements of `resourceStatements`. */
interface Statements<Row, Item, Insert, Update> {
  get: Statement<RowKey, Row & MetadataRow>;
  getAsOf: Statement<RowKey & { asOf: string }, Row & MetadataRow>;
  insert: Statement<Insert, Row>;
  update: Statement<Update, UpdateResult<Row>>;
  delete: Statement<RowMatch, RowKey>;
  toWritten(this: void, row: Row, createdBy: Actor, updatedBy: Actor): Item;
  toRecord(this: void, row: Row & MetadataRow): Item;
}

/** Creates a resource that refers to no other. */
export async function createResource<Row, Item, Insert extends object>(
  session: Session,
  { insert, toWritten }: Pick<Statements<Row, Item, Insert, never>, 'insert' | 'toWritten'>,
  fields: Insert,
): Promise<Item> {
  const { user } = session.principal;
  return toWritten(await session.one(insert, fields), user, user);
}

/** Checks that the principal may access an item; throws if it may not. */
type RequireAccess<Item> = (session: Session, item: Item) => void;

/** Reads, updates and deletes resources of one type, found by `uniqueId`. */
export function resourceActions<Row, Item extends Versioned, Update extends RowMatch>(
  type: string,
  statements: Omit<Statements<Row, Item, never, Update>, 'insert'>,
  requireAccess: RequireAccess<Item> = () => {},
) {
  /** @throws ApiError 404 for a malformed or unknown id, or one of another company */
  async function read(session: Session, uniqueId: string, asOf?: string): Promise<Item> {
    if (!isUniqueId(uniqueId)) throw notFound(type);
    const row = await (asOf === undefined
      ? session.first(statements.get, { uniqueId })
      : session.first(statements.getAsOf, { uniqueId, asOf }));
    if (row === undefined) throw notFound(type);
    const item = statements.toRecord(row);
    requireAccess(session, item);
    return item;
  }

  /**
   * Changes a resource in one round trip. A second round trip explains an update that changed nothing.
   * @param applyChanges the rules of the update statement in JavaScript: returns the fields after changes, or throws
   * @param checkReferences throws if the changes refer to an unusable resource
   */
  async function change<Changes extends object>(
    session: Session,
    parameters: Update,
    changes: Changes,
    applyChanges: (before: Item, changes: Partial<Changes>) => object,
    checkReferences?: (before: Item) => Promise<void>,
  ): Promise<{ item: Item; isChanged: boolean }> {
    if (!isUniqueId(parameters.uniqueId)) throw notFound(type);
    return retryOnConflict(async () => {
      const row = await session.first(statements.update, parameters);
      if (row === undefined) throw notFound(type);
      if (row.is_changed)
        return { item: statements.toWritten(row, toCreator(row), session.principal.user), isChanged: true };
      // A rule or the entity tag prevented the update, or it changes nothing. Otherwise another change came between: retry.
      const before = statements.toRecord(row);
      requireAccess(session, before);
      const after = applyChanges(before, changes);
      await checkReferences?.(before);
      requireIfMatch(parameters.ifMatch, before);
      return isDeepStrictEqual(after, applyChanges(before, {})) ? { item: before, isChanged: false } : undefined;
    });
  }

  /** Changes a resource, and returns it. */
  const update = async <Changes extends object>(...parameters: Parameters<typeof change<Changes>>): Promise<Item> =>
    (await change(...parameters)).item;

  async function remove(session: Session, uniqueId: string, ifMatch: IfMatch): Promise<void> {
    if (!isUniqueId(uniqueId)) throw notFound(type);
    await retryOnConflict(async () => {
      if ((await session.first(statements.delete, { uniqueId, ifMatch })) !== undefined) return true;
      // Missing, not accessible, or its entity tag does not match. Otherwise another change came between: retry.
      requireIfMatch(ifMatch, await read(session, uniqueId));
      return undefined;
    });
  }

  return { read, change, update, remove };
}
