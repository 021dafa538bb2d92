import type { Session } from '../../database/session.ts';
import { ApiError, notFound } from '../../entities/api-error.ts';
import { isUniqueId } from '../../entities/ids.ts';
import {
  cancelImport as cancelStatement,
  findImport,
  pageErrors,
  queueImport,
  toImportRecord,
} from '../../entities/statements/sync/import.ts';
import type { ImportKind } from '../../entities/sync/import.ts';
import type { Context } from '../core/context.ts';
import { requireFramework, requirePermission } from '../core/permissions.ts';
import { cursorCodec } from '../schemas/cursor.ts';
import { splitPage } from '../schemas/pagination.ts';
import type { PageRequest } from '../schemas/pagination.ts';
import { ERROR_PAGE_SIZE, MAX_INLINE_ERRORS } from './schemas.ts';
import type { ImportInput } from './schemas.ts';
import { storeUpload } from './upload.ts';

type ImportContext = Pick<Context, 'address' | 'upload'> & { session: Session };

/** Permission to import resources of a kind, and to read and cancel such imports. */
export const writePermission = (kind: ImportKind) => `${kind}:write` as const;

/** Queues an import of an uploaded file, or of the text in the input. */
export async function startImport(
  { session, address, upload }: ImportContext,
  kind: ImportKind,
  framework: number | null,
  { content, format, source, ...parameters }: ImportInput,
) {
  let file = upload?.file;
  if (file === undefined) {
    if (content === undefined) throw new ApiError('invalid_request', 'content: required');
    file = await storeUpload(session.withoutDeadline(), { kind, framework, format, address }, toBytes(content));
  }
  const { uniqueId, bytes } = file;
  const queued = await session.first(queueImport, { uniqueId, bytes, source: source ?? null, ...parameters });
  if (queued === undefined) throw new ApiError('unavailable', 'The upload was deleted. Send it again.');
  return withErrors(session, await find(session, uniqueId));
}

async function* toBytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** Reads an import with its first errors. @throws ApiError 404, 403 */
export async function readImport(context: ImportContext, uniqueId: string) {
  return withErrors(context.session, await findAllowed(context, uniqueId));
}

/** A page of the errors of an import, in the order of the file. */
export async function listErrors(
  context: ImportContext,
  uniqueId: string,
  { limit = ERROR_PAGE_SIZE.default, cursor }: PageRequest,
) {
  await findAllowed(context, uniqueId);
  const { session } = context;
  const codec = await cursorCodec(session, 'import.errors', { uniqueId });
  const [afterRow = '0'] = cursor === undefined ? [] : codec.decode(cursor);
  const fetched = await session.run(pageErrors, { uniqueId, afterRow: Number(afterRow), limit: limit + 1 });
  const { rows: items, last } = splitPage(fetched, limit);
  return { items, nextCursor: last === undefined ? null : codec.encode([String(last.row)]) };
}

/**
 * Cancels an import. Rows that were applied stay.
 * @throws ApiError 409 if it has ended
 */
export async function cancelImport(context: ImportContext & Pick<Context, 'ifMatch'>, uniqueId: string): Promise<void> {
  await findAllowed(context, uniqueId);
  if (context.ifMatch !== undefined && context.ifMatch !== null)
    throw new ApiError('precondition_failed', 'If-Match: an import has no entity tag');
  if ((await context.session.first(cancelStatement, { uniqueId })) !== undefined) return;
  const { state } = await find(context.session, uniqueId);
  throw new ApiError('conflict', `import: is ${state} already`);
}

async function find(session: Session, uniqueId: string) {
  const row = isUniqueId(uniqueId) ? await session.first(findImport, { uniqueId }) : undefined;
  if (row === undefined) throw notFound('import');
  return toImportRecord(row);
}

/** Finds an import that the key may access: it needs the permission to write the kind, in the framework. */
async function findAllowed({ session, address }: ImportContext, uniqueId: string) {
  const { principal } = session;
  if (!principal.scopes.some((scope) => scope === 'vendor:write' || scope === 'task:write'))
    throw new ApiError('forbidden', 'scope: the key lacks vendor:write and task:write');
  const item = await find(session, uniqueId);
  requirePermission(principal, writePermission(item.kind), address);
  if (item.framework !== null) requireFramework(principal, item.framework);
  return item;
}

async function withErrors(session: Session, { uniqueId, ...item }: ReturnType<typeof toImportRecord>) {
  const errors =
    item.failed === 0 ? [] : await session.run(pageErrors, { uniqueId, afterRow: 0, limit: MAX_INLINE_ERRORS });
  return { uniqueId, ...item, errors };
}
