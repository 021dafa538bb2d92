import { z } from 'zod';
import {
  IMPORT_KINDS,
  MAX_IMPORT_BYTES,
  cancelImport as cancelStatement,
  findImport,
  pageImports,
  pageErrors,
  queueImport,
  toImportRecord,
} from '../../entities/import/import.ts';
import type { ImportKind } from '../../entities/import/import.ts';
import type { Session } from '../../database/session.ts';
import { ApiError, found } from '../../entities/api-error.ts';
import { isUniqueId } from '../../entities/ids.ts';
import type { Principal } from '../../entities/principal.ts';
import type { Meta } from '../core/declaration/meta.ts';
import { companyProcedure, router } from '../core/trpc.ts';
import type { Context } from '../core/context.ts';
import { requireNoIfMatch } from '../schemas/entity-tag.ts';
import { missingScope, requireFramework, requireScopes } from '../core/permissions.ts';
import { readPage } from '../schemas/cursor.ts';
import type { PageRequest } from '../schemas/pagination.ts';
import { operationTexts } from '../document/resource-texts.ts';
import { writePermission } from './slice.ts';
import {
  ErrorPage,
  ErrorQuery,
  ImportId,
  ImportOutput,
  ImportPage,
  ImportQuery,
  QUERY_FIELDS,
  TaskImport,
  VendorImport,
  formatInput,
  ERROR_PAGE_SIZE,
  MAX_INLINE_ERRORS,
} from './schemas.ts';
import type { ImportInput } from './schemas.ts';
import { discardUpload, storeUpload } from './upload.ts';

const BASE_PATH = '/external/import/{importUniqueId}';

const text = operationTexts('Imports');

const FILE =
  'The body is the file: CSV with a header row, or one JSON object on each line; at most 64 MiB and 100,000 rows. ' +
  'Takes the columns of the export. The response comes as soon as the file is stored; the rows are applied in the background.';

/** Texts of the operations in the OpenAPI document. */
const openapi = {
  importVendors: text('importVendors', 'Import vendors from a file', FILE),
  importTasks: text(
    'importTasks',
    'Import tasks of a framework from a file',
    `${FILE} \`departmentId\` also takes a name, \`assigneeId\` an email, and \`priority\` a word such as \`high\`.`,
  ),
  get: text(
    'getImport',
    'Read the progress of an import',
    'Shows the counters and the first 1,000 errors. Needs the scope `vendor:write` or `task:write`, as the import did. ' +
      'An import stays readable for 30 days after its end.',
  ),
  errors: text(
    'listImportErrors',
    'List the rows of an import that were not applied',
    'In the order of the file. Needs the scope `vendor:write` or `task:write`, as the import did.',
  ),
  cancel: text(
    'cancelImport',
    'Cancel an import',
    'Rows that were applied stay. An import that has ended is 409. Needs the scope `vendor:write` or `task:write`, as the import did.',
  ),
};

/** Scopes of the kinds of imports. */
const SCOPES = IMPORT_KINDS.map(writePermission);

/** Metadata of a procedure that starts an import. The example is a row. */
const startMeta = (kind: ImportKind, example: object): Pick<Meta, 'mcp' | 'body' | 'response'> => ({
  mcp: {
    description:
      'CSV with a header row, or one JSON object on each line; the whole request has at most 2 MiB. The rows are applied in the ' +
      'background. `import_get` reads the progress.',
  },
  body: {
    kind: 'file',
    formats: {
      'text/csv': {
        name: 'csv',
        example: `${Object.keys(example).join(',')}\r\n${Object.values(example).join(',')}\r\n`,
      },
      'application/x-ndjson': { name: 'ndjson', example: `${JSON.stringify(example)}\n` },
    },
    maxBytes: () => MAX_IMPORT_BYTES,
    maxJsonBytes: 8 * 1024 * 1024,
    queryFields: QUERY_FIELDS,
    store: (session, { format, input, address }, content) => {
      const framework = kind === 'task' ? Number(input['framework']) : null;
      return storeUpload(session, { kind, framework, format: formatInput.parse(format), address }, content);
    },
    discard: discardUpload,
  },
  response: { kind: 'json', location: '/external/import/{uniqueId}/item', status: 202 },
});

type ImportContext = Pick<Context, 'address' | 'upload'> & { session: Session };

/** Queues an import of an uploaded file, or of the text in the input. */
async function startImport(
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

async function* toBytes(content: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(content);
}

/** Reads an import with its first errors. @throws ApiError 404, 403 */
async function readImport(context: ImportContext, uniqueId: string) {
  return withErrors(context.session, await findAllowed(context, uniqueId, 'read'));
}

/**
 * A page of the imports that the principal may read, newest first.
 * @throws ApiError 403 if it may read no kind
 */
async function listImports({ session }: ImportContext, request: PageRequest) {
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
async function listErrors(
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
async function cancelImport(context: ImportContext & Pick<Context, 'ifMatch'>, uniqueId: string): Promise<void> {
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

/** `vendor.import` */
export const importVendors = companyProcedure('vendor:write')
  .meta({
    openapi: { method: 'POST', path: '/external/smart-inventory/vendor/import', ...openapi.importVendors },
    ...startMeta('vendor', { externalId: 'VEN-0042', name: 'Cloud Ltd', status: 'active' }),
  })
  .input(VendorImport)
  .output(ImportOutput)
  .mutation(({ ctx, input }) => startImport(ctx, 'vendor', null, input));

/** `task.import` */
export const importTasks = companyProcedure('task:write')
  .meta({
    openapi: { method: 'POST', path: '/external/task/framework/{framework}/import', ...openapi.importTasks },
    ...startMeta('task', { externalId: 'CTL-7', title: 'Review access rights', priority: 2, status: 'todo' }),
  })
  .input(TaskImport)
  .output(ImportOutput)
  .mutation(({ ctx, input: { framework, ...input } }) => startImport(ctx, 'task', framework, input));

/** Imports of the caller's company. Contract, section 13. */
export const imports = router({
  list: companyProcedure('any scope')
    .meta({ mcp: { exclude: 'It belongs to the application, not to the API; `import_get` reads one import.' } })
    .input(ImportQuery.optional())
    .output(ImportPage)
    .query(({ ctx, input = {} }) => listImports(ctx, input)),

  get: companyProcedure('any scope')
    .meta({
      mcp: {
        description: 'Shows the counters and the first 1,000 errors, for 30 days after the end.',
        listedScopes: SCOPES,
      },
      openapi: { method: 'GET', path: `${BASE_PATH}/item`, ...openapi.get },
    })
    .input(ImportId)
    .output(ImportOutput)
    .query(({ ctx, input }) => readImport(ctx, input.importUniqueId)),

  errors: companyProcedure('any scope')
    .meta({
      mcp: { description: 'In the order of the file.', listedScopes: SCOPES },
      openapi: { method: 'GET', path: `${BASE_PATH}/error/list`, ...openapi.errors },
    })
    .input(ErrorQuery)
    .output(ErrorPage)
    .query(({ ctx, input: { importUniqueId, ...pageRequest } }) => listErrors(ctx, importUniqueId, pageRequest)),

  cancel: companyProcedure('any scope')
    .meta({
      mcp: {
        description: 'Rows that were applied stay. An import that has ended is 409.',
        listedScopes: SCOPES,
      },
      openapi: { method: 'DELETE', path: `${BASE_PATH}/delete`, ...openapi.cancel },
    })
    .input(ImportId)
    .output(z.void())
    .mutation(({ ctx, input }) => cancelImport(ctx, input.importUniqueId)),
});
