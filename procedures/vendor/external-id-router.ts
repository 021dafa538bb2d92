import { z } from 'zod';
import { preconditions } from '../core/external-id.ts';
import { runOrDryRun } from '../core/dry-run.ts';
import { companyProcedure } from '../core/trpc.ts';
import { UPSERT_QUERY_FIELDS, upsertOutput } from '../schemas/external-id.ts';
import { linkVendor, readVendorByExternalId, upsertVendor } from './external-id.ts';
import { openapi } from './openapi.ts';
import { VendorByExternalId, VendorLink, VendorOutput, VendorPut } from './schemas.ts';
import { BASE_PATH, actions } from './write.ts';

const PATH = `${BASE_PATH}/by/{source}/{externalId}` as const;

/** Procedures for vendors by external id. Contract, section 10. */
export const vendorsByExternalId = {
  putByExternalId: companyProcedure('vendor:write')
    .meta({
      mcp: { description: 'Only a new vendor needs a name.' },
      openapi: { method: 'PUT', path: PATH, ...openapi.putByExternalId, errorResponses: [404, 409] },
      body: { kind: 'json', queryFields: UPSERT_QUERY_FIELDS },
      response: { kind: 'upsert', location: `${BASE_PATH}/{uniqueId}/item` },
    })
    .input(VendorPut)
    .output(upsertOutput(VendorOutput))
    .mutation(({ ctx, input: { source, externalId, mode, create, recreate, dryRun, ...body } }) =>
      runOrDryRun(ctx.session, dryRun, (session) =>
        upsertVendor(session, { source, externalId }, body, { mode, create, recreate, ...preconditions(ctx) }),
      ),
    ),

  getByExternalId: companyProcedure('vendor:read')
    .meta({
      openapi: { method: 'GET', path: PATH, ...openapi.getByExternalId },
      response: { kind: 'json', hasEntityTag: true },
    })
    .input(VendorByExternalId)
    .output(VendorOutput)
    .query(({ ctx, input }) => readVendorByExternalId(ctx.session, input)),

  deleteByExternalId: companyProcedure('vendor:delete')
    .meta({ openapi: { method: 'DELETE', path: PATH, ...openapi.deleteByExternalId } })
    .input(VendorByExternalId)
    .output(z.void())
    .mutation(async ({ ctx: { session, ifMatch = null }, input }) => {
      const { uniqueId } = await readVendorByExternalId(session, input);
      return actions.remove(session, uniqueId, ifMatch);
    }),

  link: companyProcedure('vendor:write')
    .meta({
      mcp: { isAdditive: true },
      openapi: { method: 'POST', path: `${BASE_PATH}/{vendor}/link`, ...openapi.link, errorResponses: [404, 409, 422] },
      response: { kind: 'json', hasEntityTag: true },
    })
    .input(VendorLink)
    .output(VendorOutput)
    .mutation(({ ctx, input: { vendor, ...reference } }) => linkVendor(ctx.session, vendor, reference)),
};
