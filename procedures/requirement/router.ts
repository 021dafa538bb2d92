import { z } from 'zod';
import { requirementResource } from '../../entities/requirement/requirement.ts';
import { lockFramework, lockRequirements } from '../../entities/requirement/statements.ts';
import { EventPage, historyQuery, readHistory } from '../audit/events.ts';
import { batchProcedure } from '../batch/batch.ts';
import { requireScopes } from '../core/permissions.ts';
import { changeProcedure, companyProcedure, resourceProcedure, router } from '../core/trpc.ts';
import { CsvPage, csvFileOf, csvInput, csvPage } from '../import/export.ts';
import { importRequirements } from '../import/start.ts';
import { RequirementBatch } from '../schemas/batch.ts';
import {
  ExportedRequirement,
  RequirementExportPage,
  RequirementExportQuery,
  RequirementPage,
  RequirementQuery,
  exportRequirements,
  listRequirements,
} from './list.ts';
import { openapi } from './openapi.ts';
import {
  AssessmentInput,
  NewRequirement,
  RequirementChanges,
  RequirementId,
  RequirementIdAsOf,
  RequirementOutput,
} from './schemas.ts';
import {
  BASE_PATH,
  FRAMEWORK_PATH,
  changeRequirement,
  createRequirement,
  readRequirement,
  recordAssessment,
  removeRequirement,
} from './write.ts';

const reads = resourceProcedure(requirementResource, 'read');

const procedures = {
  list: reads
    .meta({
      mcp: { description: '' },
      openapi: { method: 'GET', path: `${FRAMEWORK_PATH}/list`, ...openapi.list },
      response: {
        kind: 'json',
        export: {
          procedure: 'requirement.export',
          csv: csvFileOf('requirement', 'requirement.exportCsv', ExportedRequirement),
        },
      },
    })
    .input(RequirementQuery)
    .output(RequirementPage)
    .query(({ ctx, input }) => listRequirements(ctx.session, input)),

  create: resourceProcedure(requirementResource, 'write')
    .meta({
      mcp: { description: '' },
      openapi: { method: 'POST', path: `${FRAMEWORK_PATH}/new`, ...openapi.create, errorResponses: [409, 422] },
      response: { kind: 'json', location: `${BASE_PATH}/{uniqueId}/item` },
    })
    .input(NewRequirement)
    .output(RequirementOutput)
    .mutation(({ ctx, input }) => createRequirement(ctx.session, input)),

  export: reads
    .meta({ mcp: { exclude: 'It returns the rows of a file; `requirement_list` reads the same requirements.' } })
    .input(RequirementExportQuery)
    .output(RequirementExportPage)
    .query(({ ctx, input }) => exportRequirements(ctx.session, input)),

  exportCsv: reads
    .meta({
      mcp: {
        exclude: 'It belongs to the application, not to the API; `requirement_list` reads the same requirements.',
      },
    })
    .input(RequirementExportQuery.safeExtend(csvInput))
    .output(CsvPage)
    .query(async ({ ctx: { session }, input: { format, delimiter, ...query } }) =>
      csvPage(
        session,
        'requirement',
        ExportedRequirement,
        { ...query, format, delimiter },
        await exportRequirements(session, query),
      ),
    ),

  get: reads
    .meta({ openapi: { method: 'GET', path: `${BASE_PATH}/{requirement}/item`, ...openapi.get } })
    .input(RequirementIdAsOf)
    .output(RequirementOutput)
    .query(({ ctx, input: { requirement: uniqueId, asOf } }) => {
      if (asOf !== undefined) requireScopes(ctx.session.principal, ['audit:read'], ctx.address);
      return readRequirement(ctx.session, uniqueId, asOf);
    }),

  history: companyProcedure('audit:read')
    .meta({ openapi: { method: 'GET', path: `${BASE_PATH}/{requirement}/history`, ...openapi.history } })
    .input(RequirementId.extend(historyQuery))
    .output(EventPage)
    .query(({ ctx, input: { requirement: uniqueId, ...pageRequest } }) =>
      readHistory(ctx.session, 'requirement', uniqueId, pageRequest),
    ),

  update: changeProcedure(requirementResource, 'write')
    .meta({
      openapi: {
        method: 'PATCH',
        path: `${BASE_PATH}/{requirement}/edit`,
        ...openapi.update,
        errorResponses: [409, 422],
      },
    })
    .input(RequirementChanges)
    .output(RequirementOutput)
    .mutation(
      async ({ ctx, input: { requirement: uniqueId, ...changes } }) =>
        (await changeRequirement(ctx.session, uniqueId, changes, ctx.ifMatch)).item,
    ),

  assess: changeProcedure(requirementResource, 'write')
    .meta({
      mcp: { description: '' },
      openapi: { method: 'POST', path: `${BASE_PATH}/{requirement}/assess`, ...openapi.assess, errorResponses: [409] },
    })
    .input(AssessmentInput)
    .output(RequirementOutput)
    .mutation(({ ctx, input }) => recordAssessment(ctx.session, input, ctx.ifMatch)),

  delete: changeProcedure(requirementResource, 'delete')
    .meta({
      openapi: {
        method: 'DELETE',
        path: `${BASE_PATH}/{requirement}/delete`,
        ...openapi.delete,
        errorResponses: [409],
      },
    })
    .input(RequirementId)
    .output(z.void())
    .mutation(({ ctx, input }) => removeRequirement(ctx.session, input.requirement, ctx.ifMatch)),
};

/** The requirements of frameworks. Contract, section 27. */
export const requirement = router({
  ...procedures,
  import: importRequirements,

  batch: batchProcedure(router(procedures), {
    type: 'requirement',
    idField: 'requirement',
    procedures: { create: 'create', update: 'update', delete: 'delete' },
    updateStatus: 200,
    lockTargets: lockRequirements,
    lockFramework,
    itemOutput: RequirementOutput,
    input: RequirementBatch,
    resultId: 'RequirementBatch',
    openapi: { path: `${FRAMEWORK_PATH}/batch`, ...openapi.batch },
  }),
});
