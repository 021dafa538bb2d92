import { isDeepStrictEqual } from 'node:util';
import { violates } from '../../database/errors.ts';
import { retryOnConflict } from '../../database/retry.ts';
import type { Session } from '../../database/session.ts';
import { ApiError, found, notFound } from '../../entities/api-error.ts';
import { FIRST_ID, LAST_ID, NO_FRAMEWORK, isUniqueId } from '../../entities/ids.ts';
import type { ChangeMetadata, MetadataRow } from '../../entities/statements/change-metadata.ts';
import type { UpdateResult } from '../../entities/statements/columns.ts';
import type { Statement } from '../../entities/statements/define-statement.ts';
import { requireIfMatch } from '../../entities/statements/entity-tag.ts';
import type { IfMatch, Versioned } from '../../entities/statements/entity-tag.ts';
import { addedReferences, requireUsable } from '../../entities/statements/references.ts';
import type { ReferenceChecks } from '../../entities/statements/references.ts';
import type { Reference } from '../../entities/schema/resource-definition.ts';
import { maxConstraint } from '../../entities/schema/access.ts';
import type { Operation, ResourceAccess } from '../../entities/schema/access.ts';
import type { CountedChild } from '../../entities/schema/children.ts';
import type { Actor } from '../../entities/company/user.ts';
import { readPage } from '../schemas/cursor.ts';
import type { PageRequest } from '../schemas/pagination.ts';
import { requireAccess, requireChildScopes, requireParentScopes } from './permissions.ts';

interface RowKey {
  uniqueId: string;
}
interface RowMatch extends RowKey {
  ifMatch: IfMatch;
}

/** The statements of `resourceStatements`. */
interface Statements<Row, Item, Insert, Update> {
  resource: {
    type: string;
    table: string;
    access: ResourceAccess;
    children: readonly CountedChild[];
    references: readonly Reference[];
  };
  checkReferences: Statement<{ framework: number }, ReferenceChecks>;
  get: Statement<RowKey, Row & MetadataRow>;
  getAsOf: Statement<RowKey & { asOf: string }, Row & MetadataRow>;
  ofParent: ReadonlyMap<string, Statement<{ parent: string; afterId: string; limit: number }, Row & MetadataRow>>;
  insert: Statement<Insert, Row>;
  update: Statement<Update, UpdateResult<Row>>;
  delete: Statement<RowMatch, RowKey>;
  toWritten(this: void, row: Row, createdBy: Actor, updatedBy: Actor): Item;
  toRecord(this: void, row: Row & MetadataRow): Item;
}

/** Framework of an object; undefined without one. */
function frameworkOf(item: unknown): number | undefined {
  const framework: unknown = Reflect.get(Object(item), 'framework');
  return typeof framework === 'number' ? framework : undefined;
}

/** @throws ApiError 422 for a reference that changes add and that cannot be used in the framework */
export async function requireUsableReferences(
  session: Session,
  { resource, checkReferences }: Pick<Statements<never, never, never, never>, 'resource' | 'checkReferences'>,
  before: object,
  changes: object,
  framework = frameworkOf(before) ?? NO_FRAMEWORK,
): Promise<void> {
  const { given, isEmpty } = addedReferences(resource, before, changes);
  if (!isEmpty) requireUsable(resource, await session.one(checkReferences, { ...given, framework }));
}

/**
 * Creates a resource.
 * @param requireConditions throws unless the conditions of the insert hold, such as that the principal may access the resource that
 * the new one belongs to. Returns that resource, if there is one.
 */
export async function createResource<Row, Item, Insert extends object>(
  session: Session,
  statements: Pick<Statements<Row, Item, Insert, never>, 'resource' | 'insert' | 'toWritten' | 'checkReferences'>,
  fields: Insert,
  requireConditions: () => Promise<unknown> = async () => undefined,
): Promise<Item> {
  const { resource, insert, toWritten } = statements;
  const { user } = session.principal;
  const { parents } = resource.access;
  if (parents.length > 0) requireParentScopes(resource.access, session.principal, fields, 'write');
  for (const { field, resource: parent } of parents) {
    const id: unknown = Reflect.get(fields, field);
    if (typeof id === 'string' && !isUniqueId(id)) throw notFound(parent.type);
  }
  return retryOnConflict(async () => {
    const row = await session.first(insert, fields).catch((error: unknown) => {
      throw violates(error, maxConstraint(resource.table)) ? tooMany(resource) : error;
    });
    if (row !== undefined) return toWritten(row, user, user);
    const parent = await requireConditions();
    await requireUsableReferences(session, statements, {}, fields, frameworkOf(parent) ?? frameworkOf(fields));
    return undefined; // a condition did not hold, and holds now: retry
  });
}

const tooMany = ({ type, access: { parents, max } }: Statements<never, never, never, never>['resource']) => {
  const parent = new Intl.ListFormat('en', { type: 'disjunction' }).format(
    parents.map(({ resource }) => resource.type),
  );
  return new ApiError('unprocessable', `${type}: expected at most ${max} for a ${parent}`);
};

/**
 * A page of the resources that belong to another one.
 * @param field that refers to the parent
 * @param readParent reads the parent, or throws
 * @param filters values of filters of the resource
 */
export async function listChildren<Row extends RowKey, Item>(
  session: Session,
  { resource, ofParent, toRecord }: Pick<Statements<Row, Item, never, never>, 'resource' | 'ofParent' | 'toRecord'>,
  [field, parent]: readonly [field: string, uniqueId: string],
  request: PageRequest,
  readParent: () => Promise<unknown>,
  filters: object = {},
): Promise<{ items: Item[]; nextCursor: string | null }> {
  const statement = ofParent.get(field);
  if (statement === undefined) throw new Error(`${resource.type}: expected ${field} to be a parent`);
  await readParent();
  const { rows, nextCursor } = await readPage(session, {
    list: [`${resource.type}.list`, { [field]: parent, ...filters }],
    request,
    fetch: ([afterId = resource.access.newestFirst ? LAST_ID : FIRST_ID], limit) =>
      session.run(statement, { ...filters, parent, afterId, limit }),
    positionOf: ({ uniqueId }) => [uniqueId],
  });
  return { items: rows.map(toRecord), nextCursor };
}

interface ChangeResult<Item> {
  item: Item;
  isChanged: boolean;
}

/** Steps that depend on the type of a resource. */
interface Explanation<Item> {
  /** Makes a change that the statement leaves to it. Returns undefined if another change came between. */
  changeOtherwise?: (before: Item) => Promise<ChangeResult<Item> | undefined>;
}

/** Reads, updates and deletes resources of one type, found by `uniqueId`. */
export function resourceActions<Row, Item extends Versioned & ChangeMetadata, Update extends RowMatch>(
  statements: Omit<Statements<Row, Item, never, Update>, 'insert'>,
) {
  const { resource } = statements;
  const { type } = resource;

  /** @throws ApiError 404 for a malformed or unknown id, or one of another company, 403 without access */
  async function find(session: Session, uniqueId: string, operation: Operation, asOf?: string): Promise<Item> {
    if (!isUniqueId(uniqueId)) throw notFound(type);
    const row = await (asOf === undefined
      ? session.first(statements.get, { uniqueId })
      : session.first(statements.getAsOf, { uniqueId, asOf }));
    const item = statements.toRecord(found(row, type));
    requireAccess(resource, session.principal, item, operation);
    return item;
  }

  /** @throws ApiError 404 for a malformed or unknown id, or one of another company, 403 without access */
  const read = (session: Session, uniqueId: string, asOf?: string) => find(session, uniqueId, 'read', asOf);

  /**
   * Changes a resource in one round trip. A second round trip explains an update that changed nothing.
   * @param applyChanges the rules of the update statement in JavaScript: returns the fields after changes, or throws
   * @param explain steps for an update that changed nothing
   */
  async function change<Changes extends object>(
    session: Session,
    parameters: Update,
    changes: Changes,
    applyChanges: (before: Item, changes: Partial<Changes>) => object,
    { changeOtherwise }: Explanation<Item> = {},
  ): Promise<ChangeResult<Item>> {
    if (!isUniqueId(parameters.uniqueId)) throw notFound(type);
    return retryOnConflict(async () => {
      const row = found(await session.first(statements.update, parameters), type);
      const item = statements.toRecord(row);
      if (row.is_changed) return { item, isChanged: true };
      // A rule or the entity tag prevented the update, or it changes nothing. Otherwise another change came between: retry.
      requireAccess(resource, session.principal, item, 'write');
      const after = applyChanges(item, changes);
      await requireUsableReferences(session, statements, item, changes);
      requireIfMatch(parameters.ifMatch, item);
      if (isDeepStrictEqual(after, applyChanges(item, {}))) return { item, isChanged: false };
      return changeOtherwise?.(item);
    });
  }

  /** Changes a resource, and returns it. */
  const update = async <Changes extends object>(...parameters: Parameters<typeof change<Changes>>): Promise<Item> =>
    (await change(...parameters)).item;

  /** @param requireConditions throws unless the conditions of the deletion hold */
  async function remove(
    session: Session,
    uniqueId: string,
    ifMatch: IfMatch,
    requireConditions?: () => Promise<void>,
  ): Promise<void> {
    if (!isUniqueId(uniqueId)) throw notFound(type);
    await retryOnConflict(async () => {
      if ((await session.first(statements.delete, { uniqueId, ifMatch })) !== undefined) return true;
      // Missing, not accessible, or its entity tag does not match. Otherwise another change came between: retry.
      const item = await find(session, uniqueId, 'delete');
      requireChildScopes(resource, session.principal, item);
      requireIfMatch(ifMatch, item);
      await requireConditions?.();
      return undefined;
    });
  }

  return { read, change, update, remove };
}
