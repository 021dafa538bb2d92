import { z } from 'zod';
import { IMPORT_KINDS } from '../../entities/import/import.ts';
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
} from './schemas.ts';

const BASE_PATH = '/external/import/{importUniqueId}';

/** Scopes of the kinds of imports. */
const SCOPES = IMPORT_KINDS.map(writePermission);

/** Metadata of both procedures that start an import. */
const startMeta = {
  mcp: {
    description:
      'CSV with a header row, or one JSON object on each line; the whole request has at most 2 MiB. The rows are applied in the ' +
      'background. `import_get` reads the progress.',
  },
  location: '/external/import/{uniqueId}/item' as const,
  successStatus: 202 as const,
  queryFields: QUERY_FIELDS,
  // Over tRPC. A file in a REST body has its own limit.
  maxBodyBytes: 8 * 1024 * 1024,
};

/** `vendor.import` */
export const importVendors = companyProcedure('vendor:write')
  .meta({
    openapi: { method: 'POST', path: '/external/smart-inventory/vendor/import', ...openapi.importVendors },
    ...startMeta,
    fileUpload: 'vendor',
  })
  .input(VendorImport)
  .output(ImportOutput)
  .mutation(({ ctx, input }) => startImport(ctx, 'vendor', null, input));

/** `task.import` */
export const importTasks = companyProcedure('task:write')
  .meta({
    openapi: { method: 'POST', path: '/external/task/framework/{framework}/import', ...openapi.importTasks },
    ...startMeta,
    fileUpload: 'task',
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
