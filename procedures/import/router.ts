import { z } from 'zod';
import { findAnswers, forgetAnswers, rememberAnswers } from '../../entities/import/answers.ts';
import { IMPORT_KINDS, summarizeErrors } from '../../entities/import/import.ts';
import { noInput } from '../../entities/fields/schemas.ts';
import { companyProcedure, accountProcedure, router } from '../core/trpc.ts';
import { operationTexts } from '../document/resource-texts.ts';
import { cancelImport, findAllowed, listErrors, listImports, listNotes, readImport, undoImport } from './actions.ts';
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
  UndoInput,
} from './schemas.ts';
import { writePermission } from './slice.ts';

const BASE_PATH = '/external/import/{importUniqueId}';

const text = operationTexts('Imports');

/** Texts of the operations in the OpenAPI document. */
const openapi = {
  get: text(
    'getImport',
    'Read the progress of an import',
    'Shows the counters and the first 1,000 errors. Needs the scope `vendor:write`, `task:write` or `requirement:write`, as the import did. ' +
      'An import stays readable for 30 days after its end.',
  ),
  errors: text(
    'listImportErrors',
    'List the rows of an import that were not applied',
    'In the order of the file. Needs the scope `vendor:write`, `task:write` or `requirement:write`, as the import did.',
  ),
  warnings: text(
    'listImportWarnings',
    'List the values that a lenient import left out',
    'In the order of the file. Needs the scope `vendor:write`, `task:write` or `requirement:write`, as the import did.',
  ),
  skipped: text(
    'listSkippedRows',
    'List the rows that an import skipped',
    'In the order of the file. For an undo: the items that were kept, and why. Needs the scope `vendor:write`, `task:write` or `requirement:write`, as the import did.',
  ),
  errorSummary: text(
    'summarizeImportErrors',
    'Group the errors of an import',
    'By field, value and message, at most 1,000 groups. Needs the scope `vendor:write`, `task:write` or `requirement:write`, as the import did.',
  ),
  undo: text(
    'undoImport',
    'Undo an import',
    'Deletes the items that it created, and restores the earlier values of those that it changed, in the background. What somebody has since changed or used is kept. ' +
      'An import can be undone once, within 30 days after its end. Needs the scopes to write and to delete the items.',
  ),
  cancel: text(
    'cancelImport',
    'Cancel an import',
    'Rows that were applied are kept. An import that has ended cannot be canceled (409). Needs the scope `vendor:write`, `task:write` or `requirement:write`, as the import did.',
  ),
};

/** Scopes of the kinds of imports. */
const SCOPES = IMPORT_KINDS.map(writePermission);

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
      mcp: { description: 'In the order of the file. For an undo: what was kept, and why.', listedScopes: SCOPES },
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
          'Deletes what it created, and restores what it changed, in the background. What was changed or used since is kept; `import_skipped` lists it.',
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
    .meta({ description: 'Read the replacements chosen for values in files, the newest first' })
    .input(noInput)
    .output(ImportAnswers)
    .query(async ({ ctx }) => (await ctx.session.first(findAnswers, {})) ?? { answers: [] }),

  remember: accountProcedure
    .meta({ description: 'Remember replacements for values in files; an empty list forgets all of them' })
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
        description: 'Rows that were applied are kept. An import that has ended cannot be canceled (409).',
        listedScopes: SCOPES,
      },
      openapi: { method: 'DELETE', path: `${BASE_PATH}/delete`, ...openapi.cancel },
    })
    .input(ImportId)
    .output(z.void())
    .mutation(({ ctx, input }) => cancelImport(ctx, input.importUniqueId)),
});
