import { defineEntity, p } from '@mikro-orm/core';
import { MAX_NAME_LENGTH } from '../company/company.ts';
import { resourceTriggers } from '../schema/access.ts';
import { defineResource } from '../schema/resource.ts';
import type { ChangesOf } from '../schema/field-types.ts';
import { tenantIsolation, companyKeyWithoutForeignKey } from '../schema/tenancy.ts';
import { externalIdsCheck, externalIdsProperty, externalIdsTriggers } from '../external-id/external-id.ts';

export const VENDOR_STATUSES = ['active', 'inactive', 'archived'] as const;
export type VendorStatus = (typeof VENDOR_STATUSES)[number];

/** Longest description of a task or vendor, in characters, before and after sanitizing. */
export const MAX_DESCRIPTION_LENGTH = 20_000;

/** By name and by code point, so that order and cursors are the same in every database. */
const name = p.string().length(MAX_NAME_LENGTH).collation('C');

export const vendorResource = defineResource({
  type: 'vendor',
  name: 'name',
  access: { of: 'company' },
  fields: {
    name,
    status: p.enum(VENDOR_STATUSES).default('active'),
    description: p.string().length(MAX_DESCRIPTION_LENGTH).default(''),
  },
  readOnly: externalIdsProperty,
  children: { evidenceCount: 'evidence' },
  derived: { active: { of: 'status', equals: 'active' } },
});

/** Fields of a vendor that a client may change. */
export type VendorFields = ReturnType<typeof vendorResource.applyChanges>;

/** Changes of a vendor. `active` is an alternative to `status`. */
export type VendorChanges = ChangesOf<VendorFields & { active: boolean }>;

const vendorSchema = defineEntity({
  name: 'Vendor',
  properties: { ...companyKeyWithoutForeignKey, ...vendorResource.properties },
  ...tenantIsolation(),
  indexes: [
    { name: 'vendor_by_name', properties: ['company', 'name', 'uniqueId'] },
    { name: 'vendor_by_updated_at', properties: ['company', 'updatedAt'] },
    { name: 'vendor_by_status', properties: ['company', 'status'] },
  ],
  checks: [{ name: 'vendor_name_not_empty', expression: `name::text <> ''::text` }, externalIdsCheck('vendor')],
  triggers: [
    ...resourceTriggers(vendorResource, { comment: 'vendor_id', evidence: 'vendor_id' }),
    ...externalIdsTriggers('vendor'),
  ],
});

/** A supplier in the company's smart inventory. */
export class Vendor extends vendorSchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
}
vendorSchema.setClass(Vendor);

/** Fields of a vendor after changes. `active: false` leaves an archived vendor archived. */
export function applyVendorChanges(before: VendorFields, { active, ...changes }: VendorChanges): VendorFields {
  const statusFromActive =
    active === true ? 'active' : active === false && before.status === 'active' ? 'inactive' : undefined;
  return vendorResource.applyChanges(before, { ...changes, status: changes.status ?? statusFromActive });
}

/** Error text if `active` and `status` contradict each other. */
export const statusConflict = ({ active, status }: VendorChanges): string | undefined =>
  active !== undefined && status !== undefined && active !== (status === 'active')
    ? `contradicts status ${status}`
    : undefined;
