import type { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError, found } from '../../entities/api-error.ts';
import { isUniqueId, newUniqueId } from '../../entities/ids.ts';
import {
  IMPORT_KINDS,
  MAX_OPEN_IMPORTS,
  cancelImport as cancelStatement,
  countOpenOfCompany,
  findImport,
  pageErrors,
  pageImports,
  toImportRecord,
} from '../../entities/import/import.ts';
import type { ImportKind } from '../../entities/import/import.ts';
import { pageNotes } from '../../entities/import/notes.ts';
import type { NoteKind } from '../../entities/import/notes.ts';
import { startUndo } from '../../entities/import/undo.ts';
import type { Principal } from '../../entities/principal.ts';
import type { Context } from '../core/context.ts';
import { missingScope, requireFramework, requireScopes } from '../core/permissions.ts';
import { readPage } from '../schemas/cursor.ts';
import { requireNoIfMatch } from '../schemas/entity-tag.ts';
import type { PageRequest } from '../schemas/pagination.ts';
import { ERROR_PAGE_SIZE, MAX_INLINE_ERRORS } from './schemas.ts';
import type { ErrorQuery, UndoInput } from './schemas.ts';
import { readPermission, undoPermissions, writePermission } from './slice.ts';

// The operations on imports that were started.

export type ImportContext = Pick<Context, 'address' | 'upload'> & { session: Session };

/** Reads an import with its first errors. @throws ApiError 404, 403 */
export async function readImport(context: ImportContext, uniqueId: string) {
  return withErrors(context.session, await findAllowed(context, uniqueId, 'read'));
}

/**
 * A page of the imports that the principal may read, newest first.
 * @throws ApiError 403 if it may read no kind
 */
export async function listImports({ session }: ImportContext, request: PageRequest) {
  const kinds = accessibleKinds(session.principal, 'read');
  const { rows, nextCursor } = await readPage(session, {
    list: ['import.list', { kinds }],
    request,
    fetch: ([before = null], limit) => session.run(pageImports, { kinds, before, limit }),
    positionOf: (row) => [row.uniqueId],
  });
  return { items: rows.map(toImportRecord), nextCursor };
}

/** A page of the errors of an import, in the order of the file. */
export async function listErrors(
  context: ImportContext,
  uniqueId: string,
  { limit = ERROR_PAGE_SIZE.default, cursor }: PageRequest,
) {
  await findAllowed(context, uniqueId, 'read');
  const { session } = context;
  const { rows: items, nextCursor } = await readPage(session, {
    list: ['import.errors', { uniqueId }],
    request: { limit, cursor },
    fetch: ([afterRow = '0'], count) => session.run(pageErrors, { uniqueId, afterRow: Number(afterRow), limit: count }),
    positionOf: (error) => [String(error.row)],
  });
  return { items, nextCursor };
}

/** A page of the notes about the rows of an import. */
export async function listNotes(
  context: ImportContext,
  kind: NoteKind,
  { importUniqueId: uniqueId, limit = ERROR_PAGE_SIZE.default, cursor }: z.infer<typeof ErrorQuery>,
) {
  await findAllowed(context, uniqueId, 'read');
  const { session } = context;
  const { rows, nextCursor } = await readPage(session, {
    list: [`import.${kind}`, { uniqueId }],
    request: { limit, cursor },
    fetch: ([afterRow = '0', afterNumber = '0'], count) =>
      session.run(pageNotes, {
        uniqueId,
        kind,
        afterRow: Number(afterRow),
        afterNumber: Number(afterNumber),
        limit: count,
      }),
    positionOf: ({ row, number }) => [String(row), String(number)],
  });
  const items = rows.map(({ row, line, field, value, reason }) => ({ row, line, field, value, reason }));
  return { items, nextCursor };
}

/**
 * Queues the undo of an import.
 * @throws ApiError 409 for one that cannot be undone
 */
export async function undoImport(context: ImportContext, { importUniqueId, dryRun }: z.infer<typeof UndoInput>) {
  const { session, address } = context;
  const item = await findAllowed(context, importUniqueId, 'write');
  requireScopes(session.principal, [...undoPermissions(item.kind)], address);
  const uniqueId = newUniqueId();
  const started = await session.first(startUndo, { uniqueId, undoOf: importUniqueId, dryRun, address });
  if (started !== undefined) return withErrors(session, await findImportById(session, uniqueId));
  const { state, undoOf, undoneBy, dryRun: isCheck, endedAt } = await findImportById(session, importUniqueId);
  if (endedAt === null) throw new ApiError('conflict', `import: has not ended, so it cannot be undone; it is ${state}`);
  if (isCheck) throw new ApiError('conflict', 'import: was a dry run, so there is nothing to undo');
  if (undoOf !== null) throw new ApiError('conflict', 'import: is an undo, which cannot be undone');
  if (undoneBy !== null) throw new ApiError('conflict', 'import: was already undone');
  if ((await session.one(countOpenOfCompany, {})).open >= MAX_OPEN_IMPORTS)
    throw new ApiError('unprocessable', `import: ${MAX_OPEN_IMPORTS} imports have not ended yet; cancel one, or wait`);
  throw new ApiError(
    'conflict',
    'import: was made by an earlier version of the service, which did not record its changes',
  );
}

/**
 * Cancels an import. Rows that were applied stay.
 * @throws ApiError 409 if it has ended
 */
export async function cancelImport(context: ImportContext & Pick<Context, 'ifMatch'>, uniqueId: string): Promise<void> {
  await findAllowed(context, uniqueId, 'write');
  requireNoIfMatch(context, 'an import');
  if ((await context.session.first(cancelStatement, { uniqueId })) !== undefined) return;
  const { state } = await findImportById(context.session, uniqueId);
  throw new ApiError('conflict', `import: is already ${state}`);
}

export const findImportById = async (session: Session, uniqueId: string) =>
  toImportRecord(found(isUniqueId(uniqueId) ? await session.first(findImport, { uniqueId }) : undefined, 'import'));

/** Permission for an import of a kind. Members read imports with what they read; API keys that only read cannot. */
const permissionFor = ({ role }: Principal, kind: ImportKind, access: 'read' | 'write') =>
  role === null || access === 'write' ? writePermission(kind) : readPermission(kind);

/**
 * Kinds of imports that the principal may access.
 * @throws ApiError 403 if there is none
 */
function accessibleKinds(principal: Principal, access: 'read' | 'write'): ImportKind[] {
  const kinds = IMPORT_KINDS.filter((kind) => principal.scopes.includes(permissionFor(principal, kind, access)));
  if (kinds.length > 0) return kinds;
  const [kind] = IMPORT_KINDS;
  if (principal.role !== null) throw missingScope(principal, permissionFor(principal, kind, access));
  const permissions = IMPORT_KINDS.map((one) => permissionFor(principal, one, access));
  throw new ApiError(
    'forbidden',
    `scope: the key lacks ${permissions.slice(0, -1).join(', ')} and ${permissions.at(-1)}`,
  );
}

/** Finds an import that the principal may access, in its framework. A missing permission is reported before an unknown id. */
export async function findAllowed({ session, address }: ImportContext, uniqueId: string, access: 'read' | 'write') {
  const { principal } = session;
  accessibleKinds(principal, access);
  const item = await findImportById(session, uniqueId);
  requireScopes(principal, [permissionFor(principal, item.kind, access)], address);
  if (item.framework !== null) requireFramework(principal, item.framework);
  return item;
}

export async function withErrors(session: Session, { uniqueId, ...item }: ReturnType<typeof toImportRecord>) {
  const errors =
    item.failed === 0 ? [] : await session.run(pageErrors, { uniqueId, afterRow: 0, limit: MAX_INLINE_ERRORS });
  return { uniqueId, ...item, errors };
}
