import type { Session } from '../../database/session.ts';
import { ApiError, found } from '../../entities/api-error.ts';
import { isUniqueId } from '../../entities/ids.ts';
import {
  cancelImport as cancelStatement,
  findImport,
  pageImports,
  pageErrors,
  queueImport,
  toImportRecord,
} from '../../entities/import/statements.ts';
import type { Principal } from '../../entities/principal.ts';
import { IMPORT_KINDS } from '../../entities/import/import.ts';
import type { ImportKind } from '../../entities/import/import.ts';
import type { Context } from '../core/context.ts';
import { requireNoIfMatch } from '../schemas/entity-tag.ts';
import { missingScope, requireFramework, requireScopes } from '../core/permissions.ts';
import { readPage } from '../schemas/cursor.ts';
import type { PageRequest } from '../schemas/pagination.ts';
import { ERROR_PAGE_SIZE, MAX_INLINE_ERRORS } from './schemas.ts';
import type { ImportInput } from './schemas.ts';
import { writePermission } from './slice.ts';
import { storeUpload } from './upload.ts';

type ImportContext = Pick<Context, 'address' | 'upload'> & { session: Session };

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

/**
 * Cancels an import. Rows that were applied stay.
 * @throws ApiError 409 if it has ended
 */
export async function cancelImport(context: ImportContext & Pick<Context, 'ifMatch'>, uniqueId: string): Promise<void> {
  await findAllowed(context, uniqueId, 'write');
  requireNoIfMatch(context, 'an import');
  if ((await context.session.first(cancelStatement, { uniqueId })) !== undefined) return;
  const { state } = await find(context.session, uniqueId);
  throw new ApiError('conflict', `import: is ${state} already`);
}

const find = async (session: Session, uniqueId: string) =>
  toImportRecord(found(isUniqueId(uniqueId) ? await session.first(findImport, { uniqueId }) : undefined, 'import'));

/** Permission for an import of a kind. Members read imports with what they read; API keys that only read cannot. */
const permissionFor = ({ role }: Principal, kind: ImportKind, access: 'read' | 'write') =>
  role === null ? writePermission(kind) : (`${kind}:${access}` as const);

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
  throw new ApiError('forbidden', `scope: the key lacks ${permissions.join(' and ')}`);
}

/** Finds an import that the principal may access, in its framework. A missing permission is reported before an unknown id. */
async function findAllowed({ session, address }: ImportContext, uniqueId: string, access: 'read' | 'write') {
  const { principal } = session;
  accessibleKinds(principal, access);
  const item = await find(session, uniqueId);
  requireScopes(principal, [permissionFor(principal, item.kind, access)], address);
  if (item.framework !== null) requireFramework(principal, item.framework);
  return item;
}

async function withErrors(session: Session, { uniqueId, ...item }: ReturnType<typeof toImportRecord>) {
  const errors =
    item.failed === 0 ? [] : await session.run(pageErrors, { uniqueId, afterRow: 0, limit: MAX_INLINE_ERRORS });
  return { uniqueId, ...item, errors };
}
