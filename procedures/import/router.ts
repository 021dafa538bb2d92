import { z } from 'zod';
import { IMPORT_KINDS, MAX_IMPORT_BYTES } from '../../entities/import/import.ts';
import type { ImportKind } from '../../entities/import/import.ts';
import type { Meta } from '../core/declaration/meta.ts';
import { writePermission } from './slice.ts';
import { companyProcedure, router } from '../core/trpc.ts';
import { cancelImport, listErrors, listImports, readImport, startImport } from './imports.ts';
import { openapi } from './openapi.ts';
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
} from './schemas.ts';
import { discardUpload, storeUpload } from './upload.ts';

const BASE_PATH = '/external/import/{importUniqueId}';

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
