import { defineEntity, p } from '@mikro-orm/core';
import { NAME_LENGTH } from './company.ts';
import { stamps } from './stamps.ts';
import { keptApart, ofCompanyThroughAnother } from './tenancy.ts';
import { audited, refuses } from './triggers.ts';
import type { WritePrivileges } from './policies.ts';

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
  ...keptApart(),
  indexes: [{ name: 'vendor_by_name', properties: ['company', 'name', 'uniqueId'] }],
  checks: [{ name: 'vendor_named', expression: `name::text <> ''::text` }],
  triggers: [
    audited('vendor', { type: 'vendor', id: 'unique_id' }),
    refuses('vendor', ['update of unique_id', 'truncate']),
  ],
});

/** A supplier in the company's smart inventory. */
export class Vendor extends schema.class {
  static readonly writePrivileges: WritePrivileges = ['insert', 'update', 'delete'];
}
schema.setClass(Vendor);

/** What a client can change of a vendor. */
export interface VendorFields {
  name: string;
  status: VendorStatus;
  description: string;
}

/** What a change may give: `active` is another way to say `status`. Fields left out keep their value. */
export type VendorChanges = {
  [Field in keyof VendorFields | 'active']?: (VendorFields & { active: boolean })[Field] | undefined;
};

/** The fields of a vendor after a change: `active: false` leaves one that is archived as it is. */
export function changedVendor(
  before: VendorFields,
  { name, description, status, active }: VendorChanges,
): VendorFields {
  const told = active === true ? 'active' : active === false && before.status === 'active' ? 'inactive' : before.status;
  return {
    name: name ?? before.name,
    description: description ?? before.description,
    status: status ?? told,
  };
}

/** What is wrong with `active` where it says one thing and `status` another. */
export const contradictionOf = ({ active, status }: VendorChanges): string | undefined =>
  active !== undefined && status !== undefined && active !== (status === 'active')
    ? `contradicts status ${status}`
    : undefined;
