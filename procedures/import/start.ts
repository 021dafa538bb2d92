import { MAX_CATALOG_BYTES, MAX_IMPORT_BYTES, queueImport } from '../../entities/import/import.ts';
import type { ImportKind } from '../../entities/import/import.ts';
import { ApiError } from '../../entities/api-error.ts';
import type { FileFormat, Meta } from '../core/declaration/meta.ts';
import { companyProcedure } from '../core/trpc.ts';
import { operationTexts } from '../document/resource-texts.ts';
import { findImportById, withErrors } from './actions.ts';
import type { ImportContext } from './actions.ts';
import {
  ImportOutput,
  QUERY_FIELDS,
  REQUIREMENT_QUERY_FIELDS,
  RequirementImport,
  TaskImport,
  VendorImport,
  formatInput,
} from './schemas.ts';
import type { ImportInput } from './schemas.ts';
import { CHARSETS, discardUpload, storeUpload } from './upload.ts';

// Procedures that start imports.

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
  importRequirements: text(
    'importRequirements',
    'Import requirements of a framework from a file',
    `${FILE} A row with an existing \`ref\` updates that requirement. \`parentRef\` is the \`ref\` of the requirement above it, in any row. ` +
      'JSON is an OSCAL catalog of at most 16 MiB, whose groups become headings.',
  ),
};

/** Metadata of a procedure that starts an import. The example is a row. */
const startMeta = (
  kind: ImportKind,
  example: object,
  { queryFields, catalog }: { queryFields: readonly string[]; catalog?: FileFormat } = { queryFields: QUERY_FIELDS },
): Pick<Meta, 'mcp' | 'body' | 'response'> => ({
  mcp: {
    description:
      'CSV with a header row, or one JSON object a line; at most 2 MiB. Runs in the background; `import_get` shows the progress.',
  },
  body: {
    kind: 'file',
    formats: {
      'text/csv': {
        name: 'csv',
        example: `${Object.keys(example).join(',')}\r\n${Object.values(example).join(',')}\r\n`,
      },
      'application/x-ndjson': { name: 'ndjson', example: `${JSON.stringify(example)}\n` },
      ...(catalog && { 'application/json': catalog }),
    },
    charsets: CHARSETS,
    maxBytes: () => MAX_IMPORT_BYTES,
    maxJsonBytes: 8 * 1024 * 1024,
    queryFields,
    store: (session, { format, charset, input, address }, content) => {
      const framework = kind === 'vendor' ? null : Number(input['framework']);
      return storeUpload(session, { kind, framework, format: formatInput.parse(format), address }, content, charset);
    },
    discard: discardUpload,
  },
  response: { kind: 'json', location: '/external/import/{uniqueId}/item', status: 202 },
});

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
  return withErrors(session, await findImportById(session, uniqueId));
}

async function* toBytes(content: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(content);
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

const CATALOG: FileFormat = {
  name: 'oscal',
  example: JSON.stringify({
    catalog: { groups: [{ id: 'a.5', title: 'Organization', controls: [{ id: 'a.5.1', title: 'Policies' }] }] },
  }),
  maxBytes: MAX_CATALOG_BYTES,
};

/** `requirement.import` */
export const importRequirements = companyProcedure('requirement:write')
  .meta({
    openapi: {
      method: 'POST',
      path: '/external/framework/{framework}/requirement/import',
      ...openapi.importRequirements,
    },
    ...startMeta(
      'requirement',
      { ref: 'A.5.1', title: 'Policies for information security', parentRef: 'A.5' },
      { queryFields: REQUIREMENT_QUERY_FIELDS, catalog: CATALOG },
    ),
  })
  .input(RequirementImport)
  .output(ImportOutput)
  .mutation(({ ctx, input: { framework, ...input } }) =>
    startImport(ctx, 'requirement', framework, { ...input, source: undefined, duplicates: 'update' }),
  );
