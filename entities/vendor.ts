import { defineEntity, p } from '@mikro-orm/core';
import { MAX_NAME_LENGTH } from './company.ts';
import { changeMetadata } from './schema/change-metadata.ts';
import { tenantIsolation, companyKeyWithoutForeignKey } from './schema/tenancy.ts';
import { auditTrigger, forbidTrigger } from './schema/triggers.ts';
import type { WritePrivileges } from './schema/row-level-security.ts';

export const VENDOR_STATUSES = ['active', 'inactive', 'archived'] as const;
export type VendorStatus = (typeof VENDOR_STATUSES)[number];

/** Longest description of a task or vendor, in characters, before and after sanitising. */
export const MAX_DESCRIPTION_LENGTH = 20_000;

const vendorSchema = defineEntity({
  name: 'Vendor',
  properties: {
    ...companyKeyWithoutForeignKey,
    uniqueId: p.uuid().primary(),
    // By code point, so that order and cursors are the same in every database.
    name: p.string().length(MAX_NAME_LENGTH).collation('C'),
    status: p.enum(VENDOR_STATUSES).default('active'),
    description: p.string().length(MAX_DESCRIPTION_LENGTH).default(''),
    ...changeMetadata,
  },
  ...tenantIsolation(),
  indexes: [{ name: 'vendor_by_name', properties: ['company', 'name', 'uniqueId'] }],
  checks: [{ name: 'vendor_name_not_empty', expression: `name::text <> ''::text` }],
  triggers: [
    auditTrigger('vendor', { resourceType: 'vendor', idColumn: 'unique_id' }),
    forbidTrigger('vendor', ['update of unique_id', 'truncate']),
  ],
});

/** A supplier in the company's smart inventory. */
export class Vendor extends vendorSchema.class {
  static readonly writePrivileges: WritePrivileges = ['insert', 'update', 'delete'];
}
vendorSchema.setClass(Vendor);

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
export function applyVendorChanges(
  before: VendorFields,
  { name, description, status, active }: VendorChanges,
): VendorFields {
  const requestedStatus =
    active === true ? 'active' : active === false && before.status === 'active' ? 'inactive' : before.status;
  return {
    name: name ?? before.name,
    description: description ?? before.description,
    status: status ?? requestedStatus,
  };
}

/** What is wrong with `active` where it says one thing and `status` another. */
export const statusConflict = ({ active, status }: VendorChanges): string | undefined =>
  active !== undefined && status !== undefined && active !== (status === 'active')
    ? `contradicts status ${status}`
    : undefined;
