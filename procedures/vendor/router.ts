import { z } from 'zod';
import { vendorExternalIds } from '../../entities/vendor/statements.ts';
import { vendorResource } from '../../entities/vendor/vendor.ts';
import { EventPage, historyQuery, readHistory } from '../audit/events.ts';
import { batchProcedure } from '../batch/batch.ts';
import { requireScopes } from '../core/permissions.ts';
import { changeProcedure, companyProcedure, resourceProcedure, router } from '../core/trpc.ts';
import { CsvPage, csvFileOf, csvInput, csvPage } from '../import/export.ts';
import { importVendors } from '../import/start.ts';
import { VendorBatch } from '../schemas/batch.ts';
import { vendorsByExternalId } from './external-id.ts';
import {
  ExportedVendor,
  VendorExportPage,
  VendorExportQuery,
  VendorItems,
  VendorPage,
  VendorQuery,
  exportVendors,
  listVendors,
  vendorListJson,
} from './list.ts';
import { openapi } from './openapi.ts';
import { NewVendor, ReviewInput, VendorChanges, VendorId, VendorIdAsOf, VendorOutput } from './schemas.ts';
import { BASE_PATH, actions, changeVendor, createVendor, recordReview, removeVendor, toNewVendor } from './write.ts';

const procedures = {
  list: resourceProcedure(vendorResource, 'read')
    .meta({
      mcp: {
        exclude: 'It returns an array; `vendor_page` returns the same vendors as an object, with `nextCursor`.',
      },
      openapi: { method: 'GET', path: `${BASE_PATH}/list`, ...openapi.list },
      response: {
        kind: 'list',
        variant: 'vendor.page',
        listJson: vendorListJson,
        export: { procedure: 'vendor.export', csv: csvFileOf('vendor', 'vendor.exportCsv', ExportedVendor) },
      },
    })
    .input(VendorQuery.optional())
    .output(VendorItems)
    .query(async ({ ctx, input = {} }) => (await listVendors(ctx.session, input)).items),

  page: resourceProcedure(vendorResource, 'read')
    .meta({ mcp: { description: 'In the order of code points; with `limit` a page of them.' } })
    .input(VendorQuery.optional())
    .output(VendorPage)
    .query(({ ctx, input = {} }) => listVendors(ctx.session, input, ctx.batchSize)),

  create: resourceProcedure(vendorResource, 'write')
    .meta({
      mcp: { description: '' },
      openapi: { method: 'POST', path: `${BASE_PATH}/new`, ...openapi.create },
      response: { kind: 'json', location: `${BASE_PATH}/{uniqueId}/item` },
    })
    .input(NewVendor)
    .output(VendorOutput)
    .mutation(({ ctx, input }) => createVendor(ctx.session, toNewVendor(input))),

  import: importVendors,

  export: resourceProcedure(vendorResource, 'read')
    .meta({ mcp: { exclude: 'It returns the rows of a file; `vendor_page` reads the same vendors.' } })
    .input(VendorExportQuery.optional())
    .output(VendorExportPage)
    .query(({ ctx, input = {} }) => exportVendors(ctx.session, input)),

  exportCsv: resourceProcedure(vendorResource, 'read')
    .meta({ mcp: { exclude: 'It belongs to the application, not to the API; `vendor_page` reads the same vendors.' } })
    .input(VendorExportQuery.safeExtend(csvInput).optional())
    .output(CsvPage)
    .query(async ({ ctx: { session }, input: { format, delimiter, ...query } = {} }) =>
      csvPage(session, 'vendor', ExportedVendor, { ...query, format, delimiter }, await exportVendors(session, query)),
    ),

  get: resourceProcedure(vendorResource, 'read')
    .meta({
      openapi: { method: 'GET', path: `${BASE_PATH}/{vendor}/item`, ...openapi.get },
    })
    .input(VendorIdAsOf)
    .output(VendorOutput)
    .query(({ ctx, input: { vendor: uniqueId, asOf } }) => {
      if (asOf !== undefined) requireScopes(ctx.session.principal, ['audit:read'], ctx.address);
      return actions.read(ctx.session, uniqueId, asOf);
    }),

  history: companyProcedure('audit:read')
    .meta({ openapi: { method: 'GET', path: `${BASE_PATH}/{vendor}/history`, ...openapi.history } })
    .input(VendorId.extend(historyQuery))
    .output(EventPage)
    .query(({ ctx, input: { vendor: uniqueId, ...pageRequest } }) =>
      readHistory(ctx.session, 'vendor', uniqueId, pageRequest),
    ),

  update: changeProcedure(vendorResource, 'write')
    .meta({
      mcp: { exclude: 'It returns nothing; `vendor_updateAndGet` makes the same change and returns the vendor.' },
      openapi: { method: 'PATCH', path: `${BASE_PATH}/{vendor}/edit`, ...openapi.update },
      response: { kind: 'json', variant: 'vendor.updateAndGet' },
    })
    .input(VendorChanges)
    .output(z.void())
    .mutation(async ({ ctx, input: { vendor: uniqueId, ...changes } }) => {
      await changeVendor(ctx.session, uniqueId, changes, ctx.ifMatch);
    }),

  updateAndGet: changeProcedure(vendorResource, 'write')
    .input(VendorChanges)
    .output(VendorOutput)
    .mutation(
      async ({ ctx, input: { vendor: uniqueId, ...changes } }) =>
        (await changeVendor(ctx.session, uniqueId, changes, ctx.ifMatch)).item,
    ),

  review: changeProcedure(vendorResource, 'write')
    .meta({
      mcp: { description: '' },
      openapi: { method: 'POST', path: `${BASE_PATH}/{vendor}/review`, ...openapi.review, errorResponses: [409] },
    })
    .input(ReviewInput)
    .output(VendorOutput)
    .mutation(({ ctx, input }) => recordReview(ctx.session, input, ctx.ifMatch)),

  ...vendorsByExternalId,

  delete: changeProcedure(vendorResource, 'delete')
    .meta({
      openapi: { method: 'DELETE', path: `${BASE_PATH}/{vendor}/delete`, ...openapi.delete },
    })
    .input(VendorId)
    .output(z.void())
    .mutation(({ ctx, input }) => removeVendor(ctx.session, input.vendor, ctx.ifMatch)),
};

/** The vendors of the caller's company. Contract, section 4. */
export const vendor = router({
  ...procedures,

  batch: batchProcedure(router(procedures), {
    type: 'vendor',
    idField: 'vendor',
    procedures: { create: 'create', update: 'updateAndGet', upsert: 'putByExternalId', delete: 'delete' },
    updateStatus: 204,
    lockTargets: vendorExternalIds.lockTargets,
    itemOutput: VendorOutput,
    input: VendorBatch,
    resultId: 'VendorBatch',
    openapi: { path: `${BASE_PATH}/batch`, ...openapi.batch },
  }),
});
