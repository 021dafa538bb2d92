import { defineEntity, p } from '@mikro-orm/core';
import { NAME_LENGTH } from './company.ts';
import { Refusal } from './refusal.ts';
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

/** The status that the flag `active` asks for. False leaves an archived vendor archived. Contract, section 4. */
export function statusFor(active: boolean, current: VendorStatus): VendorStatus {
  if (active) return 'active';
  return current === 'archived' ? 'archived' : 'inactive';
}

/** What a change may give: `active` is another way to say `status`. Fields left out keep their value. */
export type VendorChanges = {
  [Field in keyof VendorFields | 'active']?: (VendorFields & { active: boolean })[Field] | undefined;
};

/** @throws Refusal where `active` says one thing and `status` another. */
export function refuseContradiction({ active, status }: VendorChanges): void {
  if (active !== undefined && status !== undefined && active !== (status === 'active')) {
    throw new Refusal('invalid_request', `active: contradicts status ${status}`);
  }
}

/** The fields of a vendor after a change. */
export function changedVendor(before: VendorFields, changes: VendorChanges): VendorFields {
  const { name = before.name, description = before.description, active } = changes;
  const flagged = active === undefined ? before.status : statusFor(active, before.status);
  return { name, description, status: changes.status ?? flagged };
}
