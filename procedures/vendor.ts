import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { change } from '../entities/database/change.ts';
import type { Session } from '../entities/database/session.ts';
import { isUniqueId, newUniqueId } from '../entities/ids.ts';
import { notFound } from '../entities/refusal.ts';
import {
  deleteVendor,
  getVendor,
  getVendorAsOf,
  insertVendor,
  listVendors,
  toVendor,
  updateVendor,
} from '../entities/statements/vendor.ts';
import { VENDOR_STATUSES, changedVendor, refuseContradiction, statusFor } from '../entities/vendor.ts';
import { place } from './page.ts';
import { requireRight } from './rights.ts';
import { description, expects, givenMoment, givenUniqueId, name, stamps, uniqueId } from './shapes.ts';
import { EventPage, readHistory } from './trail.ts';
import { companyProcedure, router } from './trpc.ts';

const path = '/external/smart-inventory/vendor';
const tags = ['Vendors'];

const vendorName = name('Vendor name. Duplicates are allowed.');
const status = z.enum(VENDOR_STATUSES, expects(`one of ${VENDOR_STATUSES.join(', ')}`));
const active = z.boolean(expects('true or false')).meta({ description: 'Whether the status is `active`' });
const OneVendor = z.strictObject({ vendor: uniqueId('The vendor’s uniqueId') });

const OneVendorAsOf = OneVendor.extend({
  asOf: givenMoment.optional().meta({ description: 'The vendor as it was at this moment; needs `audit:read` as well' }),
});

const NewVendor = z
  .strictObject({ name: vendorName, description: description.default(''), active: active.default(true) })
  .meta({ id: 'NewVendor' });

const VendorChanges = z
  .strictObject({ vendor: OneVendor.shape.vendor, name: vendorName, description, active, status })
  .partial({
    name: true,
    description: true,
    active: true,
    status: true,
  });

const ListedVendor = z.object({ uniqueId: givenUniqueId, name: z.string(), status }).meta({ id: 'ListedVendor' });

const VendorObject = z
  .object({ uniqueId: givenUniqueId, name: z.string(), status, active, description: z.string(), ...stamps })
  .meta({ id: 'Vendor' });

/** The vendors of the caller's company. Contract, section 4. */
export const vendor = router({
  list: companyProcedure('vendor:read')
    .meta({ openapi: { method: 'GET', path: `${path}/list`, tags, summary: 'List all vendors, by name' } })
    .input(z.strictObject({}).optional())
    .output(z.array(ListedVendor))
    .query(({ ctx }) => ctx.session.run(listVendors, {})),

  create: companyProcedure('vendor:write')
    .meta({
      openapi: { method: 'POST', path: `${path}/new`, tags, summary: 'Add a vendor' },
      location: `${path}/{uniqueId}/item`,
    })
    .input(NewVendor)
    .output(VendorObject)
    .mutation(async ({ ctx, input: { active: isActive, ...fields } }) => {
      const created = { ...fields, uniqueId: newUniqueId(), status: statusFor(isActive, 'active') };
      return toVendor(await ctx.session.only(insertVendor, created));
    }),

  get: companyProcedure('vendor:read')
    .meta({ openapi: { method: 'GET', path: `${path}/{vendor}/item`, tags, summary: 'Read a vendor' } })
    .input(OneVendorAsOf)
    .output(VendorObject)
    .query(({ ctx, input: { vendor: id, asOf } }) => {
      if (asOf !== undefined) requireRight(ctx.session.principal, 'audit:read', ctx.address);
      return readVendor(ctx.session, id, asOf);
    }),

  history: companyProcedure('audit:read')
    .meta({
      openapi: {
        method: 'GET',
        path: `${path}/{vendor}/history`,
        tags,
        summary: 'Read what happened to a vendor, newest first',
        description: 'Also of a vendor that is deleted.',
      },
    })
    .input(OneVendor.extend(place))
    .output(EventPage)
    .query(({ ctx, input: { vendor: id, ...at } }) => readHistory(ctx.session, 'vendor', id, at)),

  update: companyProcedure('vendor:write')
    .meta({
      openapi: { method: 'PATCH', path: `${path}/{vendor}/edit`, tags, summary: 'Change some fields of a vendor' },
    })
    .input(VendorChanges)
    .output(z.void())
    .mutation(async ({ ctx, input: { vendor: id, ...changes } }) => {
      refuseContradiction(changes);
      await change(
        () => readVendor(ctx.session, id),
        async (before) => {
          const after = changedVendor(before, changes);
          if (isDeepStrictEqual(after, changedVendor(before, {}))) return before;
          const row = await ctx.session.first(updateVendor, { ...after, uniqueId: id, version: before.version });
          return row && toVendor(row);
        },
      );
    }),

  delete: companyProcedure('vendor:delete')
    .meta({ openapi: { method: 'DELETE', path: `${path}/{vendor}/delete`, tags, summary: 'Delete a vendor' } })
    .input(OneVendor)
    .output(z.void())
    .mutation(async ({ ctx, input }) => {
      const gone = isUniqueId(input.vendor) && (await ctx.session.first(deleteVendor, { uniqueId: input.vendor }));
      if (!gone) throw notFound('vendor');
    }),
});

async function readVendor(session: Session, id: string, asOf?: string) {
  if (!isUniqueId(id)) throw notFound('vendor');
  const row = await (asOf === undefined
    ? session.first(getVendor, { uniqueId: id })
    : session.first(getVendorAsOf, { uniqueId: id, asOf }));
  if (row === undefined) throw notFound('vendor');
  return toVendor(row);
}
