import { z } from 'zod';
import { findAnswers, forgetAnswers, rememberAnswers } from '../../entities/import/answers.ts';
import {
  IMPORT_KINDS,
  MAX_IMPORT_BYTES,
  MAX_OPEN_IMPORTS,
  cancelImport as cancelStatement,
  countOpenOfCompany,
  findImport,
  pageErrors,
  pageImports,
  queueImport,
  summarizeErrors,
  toImportRecord,
} from '../../entities/import/import.ts';
import { pageNotes } from '../../entities/import/notes.ts';
import { startUndo } from '../../entities/import/undo.ts';
import type { ImportKind } from '../../entities/import/import.ts';
import type { NoteKind } from '../../entities/import/notes.ts';
import type { Session } from '../../database/session.ts';
import { ApiError, found } from '../../entities/api-error.ts';
import { noInput } from '../../entities/fields/schemas.ts';
import { isUniqueId, newUniqueId } from '../../entities/ids.ts';
import type { Principal } from '../../entities/principal.ts';
import type { Meta } from '../core/declaration/meta.ts';
import { companyProcedure, accountProcedure, router } from '../core/trpc.ts';
import type { Context } from '../core/context.ts';
import { requireNoIfMatch } from '../schemas/entity-tag.ts';
import { missingScope, requireFramework, requireScopes } from '../core/permissions.ts';
import { readPage } from '../schemas/cursor.ts';
import type { PageRequest } from '../schemas/pagination.ts';
import { operationTexts } from '../document/resource-texts.ts';
import { undoPermissions, writePermission } from './slice.ts';
import {
  ErrorPage,
  ErrorQuery,
  ErrorSummary,
  ImportAnswers,
  ImportId,
  ImportOutput,
  ImportPage,
  ImportQuery,
  NotePage,
  QUERY_FIELDS,
  TaskImport,
  UndoInput,
  VendorImport,
  formatInput,
  ERROR_PAGE_SIZE,
  MAX_INLINE_ERRORS,
} from './schemas.ts';
import type { ImportInput } from './schemas.ts';
import { CHARSETS, discardUpload, storeUpload } from './upload.ts';

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
  warnings: text(
    'listImportWarnings',
    'List the values that a lenient import left out',
    'In the order of the file. Needs the scope `vendor:write` or `task:write`, as the import did.',
  ),
  skipped: text(
    'listSkippedRows',
    'List the rows for which an import did nothing',
    'In the order of the file; of an undo, the items that stay, and why. Needs the scope `vendor:write` or `task:write`, as the import did.',
  ),
  errorSummary: text(
    'summarizeImportErrors',
    'Group the errors of an import',
    'By field, value and message, at most 1,000 groups. Needs the scope `vendor:write` or `task:write`, as the import did.',
  ),
  undo: text(
    'undoImport',
    'Undo an import',
    'Deletes the items that it created, and gives those that it changed their values of before, in the background. What somebody changed or used since stays. ' +
      'Works once, for 30 days after the end. Needs the scopes to write and to delete the items.',
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
    charsets: CHARSETS,
    maxBytes: () => MAX_IMPORT_BYTES,
    maxJsonBytes: 8 * 1024 * 1024,
    queryFields: QUERY_FIELDS,
    store: (session, { format, charset, input, address }, content) => {
      const framework = kind === 'task' ? Number(input['framework']) : null;
      return storeUpload(session, { kind, framework, format: formatInput.parse(format), address }, content, charset);
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
  { content, format, source, dates, ...parameters }: ImportInput,
) {
  let file = upload?.file;
  if (file === undefined) {
    if (content === undefined) throw new ApiError('invalid_request', 'content: required');
    file = await storeUpload(session.withoutDeadline(), { kind, framework, format, address }, toBytes(content));
  }
  const { uniqueId, bytes } = file;
  const queued = await session.first(queueImport, {
    ...parameters,
    uniqueId,
    bytes,
    source: source ?? null,
    dates: dates ?? null,
  });
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

/** A page of what is noted of the rows of an import. */
async function listNotes(
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
async function undoImport(context: ImportContext, { importUniqueId, dryRun }: z.infer<typeof UndoInput>) {
  const { session, address } = context;
  const item = await findAllowed(context, importUniqueId, 'write');
  requireScopes(session.principal, [...undoPermissions(item.kind)], address);
  const uniqueId = newUniqueId();
  const started = await session.first(startUndo, { uniqueId, undoOf: importUniqueId, dryRun, address });
  if (started !== undefined) return withErrors(session, await find(session, uniqueId));
  const { state, undoOf, undoneBy, dryRun: isCheck, endedAt } = await find(session, importUniqueId);
  if (endedAt === null) throw new ApiError('conflict', `import: expected one that has ended; it is ${state}`);
  if (isCheck) throw new ApiError('conflict', 'import: was a dry run, which wrote nothing');
  if (undoOf !== null) throw new ApiError('conflict', 'import: is an undo');
  if (undoneBy !== null) throw new ApiError('conflict', 'import: was undone');
  if ((await session.one(countOpenOfCompany, {})).open >= MAX_OPEN_IMPORTS)
    throw new ApiError('unprocessable', `import: expected fewer than ${MAX_OPEN_IMPORTS} imports that have not ended`);
  throw new ApiError('conflict', 'import: is of an earlier version of the service, which did not record its changes');
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

  warnings: companyProcedure('any scope')
    .meta({
      mcp: { description: 'In the order of the file.', listedScopes: SCOPES },
      openapi: { method: 'GET', path: `${BASE_PATH}/warning/list`, ...openapi.warnings },
    })
    .input(ErrorQuery)
    .output(NotePage)
    .query(({ ctx, input }) => listNotes(ctx, 'warning', input)),

  skipped: companyProcedure('any scope')
    .meta({
      mcp: { description: 'In the order of the file; of an undo, what stays, and why.', listedScopes: SCOPES },
      openapi: { method: 'GET', path: `${BASE_PATH}/skipped/list`, ...openapi.skipped },
    })
    .input(ErrorQuery)
    .output(NotePage)
    .query(({ ctx, input }) => listNotes(ctx, 'skipped', input)),

  errorSummary: companyProcedure('any scope')
    .meta({
      mcp: { description: 'The largest groups first.', listedScopes: SCOPES },
      openapi: { method: 'GET', path: `${BASE_PATH}/error/summary`, ...openapi.errorSummary },
    })
    .input(ImportId)
    .output(ErrorSummary)
    .query(async ({ ctx, input: { importUniqueId: uniqueId } }) => {
      await findAllowed(ctx, uniqueId, 'read');
      return { items: await ctx.session.run(summarizeErrors, { uniqueId }) };
    }),

  undo: companyProcedure('any scope')
    .meta({
      mcp: {
        description:
          'Deletes what it created, and restores what it changed, in the background. What somebody changed or used since stays; `import_skipped` lists it.',
        listedScopes: SCOPES,
      },
      openapi: { method: 'POST', path: `${BASE_PATH}/undo`, ...openapi.undo, errorResponses: [409] },
      body: { kind: 'json', queryFields: ['dryRun'] },
      response: { kind: 'json', location: '/external/import/{uniqueId}/item', status: 202 },
    })
    .input(UndoInput)
    .output(ImportOutput)
    .mutation(({ ctx, input }) => undoImport(ctx, input)),

  answers: accountProcedure
    .meta({ description: 'Read what the own values in files stood for, the newest answers first' })
    .input(noInput)
    .output(ImportAnswers)
    .query(async ({ ctx }) => (await ctx.session.first(findAnswers, {})) ?? { answers: [] }),

  remember: accountProcedure
    .meta({ description: 'Remember what values in files stand for; an empty list forgets all of them' })
    .input(ImportAnswers)
    .output(ImportAnswers)
    .mutation(async ({ ctx: { session }, input: { answers } }) => {
      if (answers.length > 0) return session.one(rememberAnswers, { answers: JSON.stringify(answers) });
      await session.run(forgetAnswers, {});
      return { answers: [] };
    }),

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
