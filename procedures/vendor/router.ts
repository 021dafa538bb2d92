import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { retryOnConflict } from '../../database/retry.ts';
import type { Session } from '../../database/session.ts';
import { isUniqueId, newUniqueId } from '../../entities/ids.ts';
import { notFound } from '../../entities/api-error.ts';
import { toCreator } from '../../entities/statements/change-metadata.ts';
import { requireIfMatch } from '../../entities/statements/entity-tag.ts';
import type { IfMatch } from '../../entities/statements/entity-tag.ts';
import {
  deleteVendor,
  getVendor,
  getVendorAsOf,
  insertVendor,
  toVendor,
  updateVendor,
  vendorFromWrite,
} from '../../entities/statements/vendor.ts';
import { MAX_DESCRIPTION_LENGTH, applyVendorChanges, statusConflict } from '../../entities/vendor.ts';
import type { VendorChanges as Changes } from '../../entities/vendor.ts';
import { pagination } from '../schemas/pagination.ts';
import { openapi } from './openapi.ts';
import { requirePermission } from '../core/permissions.ts';
import { textOutput } from '../schemas/output.ts';
import {
  EXAMPLE_IDS,
  descriptionInput,
  expected,
  timestampInput,
  uniqueIdOutput,
  nameInput,
  changeMetadataOutput,
  uniqueIdInput,
} from '../schemas/fields.ts';
import { EventPage, readHistory } from '../audit/events.ts';
import { companyProcedure, router } from '../core/trpc.ts';
import {
  ListedVendor,
  VendorPage,
  VendorQuery,
  vendorNameOutput,
  listVendors,
  status,
  vendorListJson,
} from './list.ts';

const BASE_PATH = '/external/smart-inventory/vendor';

const vendorNameInput = nameInput('Vendor name. Duplicates are allowed.');
const active = z.boolean(expected('true or false')).meta({ description: 'Whether the status is `active`' });
const VendorId = z.strictObject({ vendor: uniqueIdInput('The vendor’s uniqueId', EXAMPLE_IDS.vendor) });

const VendorIdAsOf = VendorId.extend({
  asOf: timestampInput
    .optional()
    .meta({ description: 'The vendor as it was at this moment; needs `audit:read` as well' }),
});

const NewVendor = z
  .strictObject({ name: vendorNameInput, description: descriptionInput.default(''), active: active.default(true) })
  .meta({ id: 'NewVendor' });

const VendorChanges = z
  .strictObject({ vendor: VendorId.shape.vendor, name: vendorNameInput, description: descriptionInput, active, status })
  .partial({
    name: true,
    description: true,
    active: true,
    status: true,
  })
  .superRefine((changes, issues) => {
    const message = statusConflict(changes);
    if (message !== undefined) issues.addIssue({ code: 'custom', path: ['active'], message });
  });

const VendorOutput = z
  .object({
    uniqueId: uniqueIdOutput,
    name: vendorNameOutput,
    status,
    active,
    description: textOutput(MAX_DESCRIPTION_LENGTH, '<p>Hosts our <b>production</b>.</p>'),
    ...changeMetadataOutput,
  })
  .meta({ id: 'Vendor' });

/** The vendors of the caller's company. Contract, section 4. */
export const vendor = router({
  list: companyProcedure('vendor:read')
    .meta({
      openapi: { method: 'GET', path: `${BASE_PATH}/list`, ...openapi.list },
      pagedVariant: 'vendor.page',
      listJson: vendorListJson,
    })
    .input(VendorQuery.optional())
    .output(z.array(ListedVendor))
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
    .mutation(async ({ ctx, input: { active: isActive, ...fields } }) => {
      const created = {
        ...fields,
        uniqueId: newUniqueId(),
        status: isActive ? ('active' as const) : ('inactive' as const),
      };
      const row = await ctx.session.one(insertVendor, created);
      const { user } = ctx.session.principal;
      return vendorFromWrite(row, user, user);
    }),

  get: companyProcedure('vendor:read')
    .meta({ openapi: { method: 'GET', path: `${BASE_PATH}/{vendor}/item`, ...openapi.get }, hasEntityTag: true })
    .input(VendorIdAsOf)
    .output(VendorOutput)
    .query(({ ctx, input: { vendor: id, asOf } }) => {
      if (asOf !== undefined) requirePermission(ctx.session.principal, 'audit:read', ctx.address);
      return readVendor(ctx.session, id, asOf);
    }),

  history: companyProcedure('audit:read')
    .meta({ openapi: { method: 'GET', path: `${BASE_PATH}/{vendor}/history`, ...openapi.history } })
    .input(VendorId.extend(pagination))
    .output(EventPage)
    .query(({ ctx, input: { vendor: id, ...pageRequest } }) => readHistory(ctx.session, 'vendor', id, pageRequest)),

  update: companyProcedure('vendor:write')
    .meta({
      openapi: { method: 'PATCH', path: `${BASE_PATH}/{vendor}/edit`, ...openapi.update },
      hasEntityTag: true,
      returningVariant: 'vendor.updateAndGet',
    })
    .input(VendorChanges)
    .output(z.void())
    .mutation(async ({ ctx: { session, ifMatch = null }, input: { vendor: id, ...changes } }) => {
      await changeVendor(session, id, changes, ifMatch);
    }),

  updateAndGet: companyProcedure('vendor:write')
    .input(VendorChanges)
    .output(VendorOutput)
    .mutation(({ ctx: { session, ifMatch = null }, input: { vendor: id, ...changes } }) =>
      changeVendor(session, id, changes, ifMatch),
    ),

  delete: companyProcedure('vendor:delete')
    .meta({ openapi: { method: 'DELETE', path: `${BASE_PATH}/{vendor}/delete`, ...openapi.delete } })
    .input(VendorId)
    .output(z.void())
    .mutation(async ({ ctx: { session, ifMatch = null }, input: { vendor: id } }) => {
      if (!isUniqueId(id)) throw notFound('vendor');
      await retryOnConflict(async () => {
        if ((await session.first(deleteVendor, { uniqueId: id, ifMatch })) !== undefined) return true;
        // There is none, or its tag does not match; or a change that made it match came between: again.
        requireIfMatch(ifMatch, await readVendor(session, id));
        return undefined;
      });
    }),
});

async function changeVendor(session: Session, id: string, changes: Changes, ifMatch: IfMatch) {
  if (!isUniqueId(id)) throw notFound('vendor');
  return retryOnConflict(async () => {
    const row = await session.first(updateVendor, { ...changes, uniqueId: id, ifMatch });
    if (row === undefined) throw notFound('vendor');
    if (row.is_changed) return vendorFromWrite(row, toCreator(row), session.principal.user);
    // Its tag does not match, or it would change nothing; or another change came between: again.
    const before = toVendor(row);
    requireIfMatch(ifMatch, before);
    return isDeepStrictEqual(applyVendorChanges(before, changes), applyVendorChanges(before, {})) ? before : undefined;
  });
}

async function readVendor(session: Session, id: string, asOf?: string) {
  if (!isUniqueId(id)) throw notFound('vendor');
  const row = await (asOf === undefined
    ? session.first(getVendor, { uniqueId: id })
    : session.first(getVendorAsOf, { uniqueId: id, asOf }));
  if (row === undefined) throw notFound('vendor');
  return toVendor(row);
}
