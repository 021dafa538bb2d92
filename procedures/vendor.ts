import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { change } from '../entities/database/change.ts';
import type { Session } from '../entities/database/session.ts';
import { isUniqueId, newUniqueId } from '../entities/ids.ts';
import { notFound } from '../entities/refusal.ts';
import { creatorOf } from '../entities/statements/stamps.ts';
import { requireMatch } from '../entities/statements/tag.ts';
import type { IfMatch } from '../entities/statements/tag.ts';
import {
  deleteVendor,
  getVendor,
  getVendorAsOf,
  insertVendor,
  toVendor,
  updateVendor,
  vendorOf,
} from '../entities/statements/vendor.ts';
import { DESCRIPTION_LENGTH, changedVendor, contradictionOf } from '../entities/vendor.ts';
import type { VendorChanges as Changes } from '../entities/vendor.ts';
import { place } from './page.ts';
import { operations } from './vendor-operations.ts';
import { requireRight } from './rights.ts';
import { givenText } from './answer-shapes.ts';
import { EXAMPLE, description, expects, givenMoment, givenUniqueId, name, stamps, uniqueId } from './shapes.ts';
import { EventPage, readHistory } from './trail.ts';
import { companyProcedure, router } from './trpc.ts';
import {
  ListedVendor,
  VendorPage,
  VendorQuery,
  givenName,
  readVendors,
  status,
  writtenVendors,
} from './vendor-list.ts';

const path = '/external/smart-inventory/vendor';

const vendorName = name('Vendor name. Duplicates are allowed.');
const active = z.boolean(expects('true or false')).meta({ description: 'Whether the status is `active`' });
const OneVendor = z.strictObject({ vendor: uniqueId('The vendor’s uniqueId', EXAMPLE.vendor) });

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
  })
  .superRefine((changes, issues) => {
    const message = contradictionOf(changes);
    if (message !== undefined) issues.addIssue({ code: 'custom', path: ['active'], message });
  });

const VendorObject = z
  .object({
    uniqueId: givenUniqueId,
    name: givenName,
    status,
    active,
    description: givenText(DESCRIPTION_LENGTH, '<p>Hosts our <b>production</b>.</p>'),
    ...stamps,
  })
  .meta({ id: 'Vendor' });

/** The vendors of the caller's company. Contract, section 4. */
export const vendor = router({
  list: companyProcedure('vendor:read')
    .meta({
      openapi: { method: 'GET', path: `${path}/list`, ...operations.list },
      pagedBy: 'vendor.page',
      written: writtenVendors,
    })
    .input(VendorQuery.optional())
    .output(z.array(ListedVendor))
    .query(async ({ ctx, input = {} }) => (await readVendors(ctx.session, input)).items),

  page: companyProcedure('vendor:read')
    .input(VendorQuery.optional())
    .output(VendorPage)
    .query(({ ctx, input = {} }) => readVendors(ctx.session, input, ctx.part)),

  create: companyProcedure('vendor:write')
    .meta({
      openapi: { method: 'POST', path: `${path}/new`, ...operations.create },
      tagged: true,
      location: `${path}/{uniqueId}/item`,
    })
    .input(NewVendor)
    .output(VendorObject)
    .mutation(async ({ ctx, input: { active: isActive, ...fields } }) => {
      const created = {
        ...fields,
        uniqueId: newUniqueId(),
        status: isActive ? ('active' as const) : ('inactive' as const),
      };
      const row = await ctx.session.only(insertVendor, created);
      const { user } = ctx.session.principal;
      return vendorOf(row, user, user);
    }),

  get: companyProcedure('vendor:read')
    .meta({ openapi: { method: 'GET', path: `${path}/{vendor}/item`, ...operations.get }, tagged: true })
    .input(OneVendorAsOf)
    .output(VendorObject)
    .query(({ ctx, input: { vendor: id, asOf } }) => {
      if (asOf !== undefined) requireRight(ctx.session.principal, 'audit:read', ctx.address);
      return readVendor(ctx.session, id, asOf);
    }),

  history: companyProcedure('audit:read')
    .meta({ openapi: { method: 'GET', path: `${path}/{vendor}/history`, ...operations.history } })
    .input(OneVendor.extend(place))
    .output(EventPage)
    .query(({ ctx, input: { vendor: id, ...at } }) => readHistory(ctx.session, 'vendor', id, at)),

  update: companyProcedure('vendor:write')
    .meta({
      openapi: { method: 'PATCH', path: `${path}/{vendor}/edit`, ...operations.update },
      tagged: true,
      shownBy: 'vendor.updateAndGet',
    })
    .input(VendorChanges)
    .output(z.void())
    .mutation(async ({ ctx: { session, ifMatch = null }, input: { vendor: id, ...changes } }) => {
      await changeVendor(session, id, changes, ifMatch);
    }),

  updateAndGet: companyProcedure('vendor:write')
    .input(VendorChanges)
    .output(VendorObject)
    .mutation(({ ctx: { session, ifMatch = null }, input: { vendor: id, ...changes } }) =>
      changeVendor(session, id, changes, ifMatch),
    ),

  delete: companyProcedure('vendor:delete')
    .meta({ openapi: { method: 'DELETE', path: `${path}/{vendor}/delete`, ...operations.delete } })
    .input(OneVendor)
    .output(z.void())
    .mutation(async ({ ctx: { session, ifMatch = null }, input: { vendor: id } }) => {
      if (!isUniqueId(id)) throw notFound('vendor');
      await change(async () => {
        if ((await session.first(deleteVendor, { uniqueId: id, ifMatch })) !== undefined) return true;
        // There is none, or its tag does not match; or a change that made it match came between: again.
        requireMatch(ifMatch, await readVendor(session, id));
        return undefined;
      });
    }),
});

async function changeVendor(session: Session, id: string, changes: Changes, ifMatch: IfMatch) {
  if (!isUniqueId(id)) throw notFound('vendor');
  return change(async () => {
    const row = await session.first(updateVendor, { ...changes, uniqueId: id, ifMatch });
    if (row === undefined) throw notFound('vendor');
    if (row.is_changed) return vendorOf(row, creatorOf(row), session.principal.user);
    // Its tag does not match, or it would change nothing; or another change came between: again.
    const before = toVendor(row);
    requireMatch(ifMatch, before);
    return isDeepStrictEqual(changedVendor(before, changes), changedVendor(before, {})) ? before : undefined;
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
