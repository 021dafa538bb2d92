import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { newUniqueId } from '../../entities/ids.ts';
import type { IfMatch } from '../../entities/statements/entity-tag.ts';
import { vendorStatements } from '../../entities/statements/vendor/vendor.ts';
import { applyVendorChanges, vendorResource } from '../../entities/vendor.ts';
import { EventPage, readHistory } from '../audit/events.ts';
import { requirePermission } from '../core/permissions.ts';
import { createResource, resourceActions } from '../core/resource.ts';
import { companyProcedure, router } from '../core/trpc.ts';
import { importVendors } from '../import/router.ts';
import { pagination } from '../schemas/pagination.ts';
import { VendorItems, VendorPage, VendorQuery, listVendors, vendorListJson } from './list.ts';
import { openapi } from './openapi.ts';
import { NewVendor, VendorChanges, VendorId, VendorIdAsOf, VendorOutput } from './schemas.ts';

const BASE_PATH = '/external/smart-inventory/vendor';

const actions = resourceActions('vendor', vendorStatements);

/** The vendors of the caller's company. Contract, section 4. */
export const vendor = router({
  list: companyProcedure('vendor:read')
    .meta({
      openapi: { method: 'GET', path: `${BASE_PATH}/list`, ...openapi.list },
      pagedVariant: 'vendor.page',
      listJson: vendorListJson,
    })
    .input(VendorQuery.optional())
    .output(VendorItems)
    .query(async ({ ctx, input = {} }) => (await listVendors(ctx.session, input)).items),

  page: companyProcedure('vendor:read')
    .input(VendorQuery.optional())
    .output(VendorPage)
    .query(({ ctx, input = {} }) => listVendors(ctx.session, input, ctx.batchSize)),

  create: companyProcedure('vendor:write')
    .meta({
      openapi: { method: 'POST', path: `${BASE_PATH}/new`, ...openapi.create },
      hasEntityTag: true,
      location: `${BASE_PATH}/{uniqueId}/item`,
    })
    .input(NewVendor)
    .output(VendorOutput)
    .mutation(({ ctx, input: { active, ...fields } }) =>
      createResource(ctx.session, vendorStatements, {
        ...fields,
        uniqueId: newUniqueId(),
        status: active ? 'active' : 'inactive',
      }),
    ),

  import: importVendors,

  get: companyProcedure('vendor:read')
    .meta({ openapi: { method: 'GET', path: `${BASE_PATH}/{vendor}/item`, ...openapi.get }, hasEntityTag: true })
    .input(VendorIdAsOf)
    .output(VendorOutput)
    .query(({ ctx, input: { vendor: uniqueId, asOf } }) => {
      if (asOf !== undefined) requirePermission(ctx.session.principal, 'audit:read', ctx.address);
      return actions.read(ctx.session, uniqueId, asOf);
    }),

  history: companyProcedure('audit:read')
    .meta({ openapi: { method: 'GET', path: `${BASE_PATH}/{vendor}/history`, ...openapi.history } })
    .input(VendorId.extend(pagination))
    .output(EventPage)
    .query(({ ctx, input: { vendor: uniqueId, ...pageRequest } }) =>
      readHistory(ctx.session, 'vendor', uniqueId, pageRequest),
    ),

  update: companyProcedure('vendor:write')
    .meta({
      openapi: { method: 'PATCH', path: `${BASE_PATH}/{vendor}/edit`, ...openapi.update },
      hasEntityTag: true,
      returningVariant: 'vendor.updateAndGet',
    })
    .input(VendorChanges)
    .output(z.void())
    .mutation(async ({ ctx, input }) => {
      await updateVendor(ctx.session, input, ctx.ifMatch);
    }),

  updateAndGet: companyProcedure('vendor:write')
    .input(VendorChanges)
    .output(VendorOutput)
    .mutation(({ ctx, input }) => updateVendor(ctx.session, input, ctx.ifMatch)),

  delete: companyProcedure('vendor:delete')
    .meta({ openapi: { method: 'DELETE', path: `${BASE_PATH}/{vendor}/delete`, ...openapi.delete } })
    .input(VendorId)
    .output(z.void())
    .mutation(({ ctx: { session, ifMatch = null }, input }) => actions.remove(session, input.vendor, ifMatch)),
});

function updateVendor(
  session: Session,
  { vendor: uniqueId, ...changes }: z.infer<typeof VendorChanges>,
  ifMatch: IfMatch = null,
) {
  const parameters = { ...vendorResource.changeParameters(changes), uniqueId, ifMatch };
  return actions.update(session, parameters, changes, applyVendorChanges);
}
