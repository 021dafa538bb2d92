import { defineEntity, p } from '@mikro-orm/core';
import { NAME_LENGTH } from './company.ts';
import { stamps } from './stamps.ts';
import { companyFilter, ofCompanyThroughAnother } from './tenancy.ts';
import { audited } from './triggers.ts';

export const VENDOR_STATUSES = ['active', 'inactive', 'archived'] as const;
export type VendorStatus = (typeof VENDOR_STATUSES)[number];

/** Longest description of a task or vendor, in characters, before and after sanitising. */
export const DESCRIPTION_LENGTH = 20_000;

const schema = defineEntity({
  name: 'Vendor',
  properties: {
    ...ofCompanyThroughAnother,
    uniqueId: p.uuid().primary(),
    // By code point, so that order and cursors are the same in every database.
    name: p.string().length(NAME_LENGTH).collation('C'),
    status: p.enum(VENDOR_STATUSES).default('active'),
    description: p.string().length(DESCRIPTION_LENGTH).default(''),
    ...stamps,
  },
  filters: companyFilter,
  indexes: [{ name: 'vendor_by_name', properties: ['company', 'name', 'uniqueId'] }],
  checks: [{ name: 'vendor_named', expression: `name::text <> ''::text` }],
  triggers: [audited('vendor', { type: 'vendor', id: 'unique_id' })],
});

/** A supplier in the company's smart inventory. */
export class Vendor extends schema.class {}
schema.setClass(Vendor);

/** What a client can change of a vendor. */
export interface VendorFields {
  name: string;
  status: VendorStatus;
  description: string;
}

/** The status that the flag `active` asks for. False leaves an archived vendor archived. Decisions, section 4. */
export function statusFor(active: boolean, current: VendorStatus): VendorStatus {
  if (active) return 'active';
  return current === 'archived' ? 'archived' : 'inactive';
}
