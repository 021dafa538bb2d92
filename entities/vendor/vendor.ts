import { defineEntity, p } from '@mikro-orm/core';
import { ApiError } from '../api-error.ts';
import { MAX_NAME_LENGTH } from '../company/company.ts';
import { Member } from '../member/member.ts';
import { resourceTriggers } from '../schema/access.ts';
import { dateRangeCheck } from '../fields/dates.ts';
import { MAX_DESCRIPTION_LENGTH } from '../fields/html/input.ts';
import { labelsCheck, labelsProperty } from '../fields/labels.ts';
import type { StoredReview } from '../schema/people.ts';
import { defineResource } from '../schema/resource.ts';
import type { ChangesOf } from '../schema/field-types.ts';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { defineTrigger } from '../schema/triggers.ts';
import { externalIdsCheck, externalIdsProperty, externalIdsTriggers } from '../external-id/external-id.ts';

export const VENDOR_STATUSES = ['active', 'inactive', 'archived'] as const;
export type VendorStatus = (typeof VENDOR_STATUSES)[number];

/** 1 is critical, 4 is low. */
export const CRITICALITY = { min: 1, max: 4 } as const;
/** Months from a review to the next one. */
export const REVIEW_MONTHS = { min: 1, max: 60 } as const;
const MAX_WEBSITE_LENGTH = 2048;
/** Lengths are in characters. */
export const CONTACT_LIMITS = { max: 20, name: 255, email: 254, role: 255 } as const;
export const MAX_REVIEW_NOTE_LENGTH = 2000;

/** A person at a vendor. */
export interface Contact {
  name: string;
  email: string | null;
  role: string | null;
}

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
    website: p.string().length(MAX_WEBSITE_LENGTH).nullable(),
    criticality: p.integer().nullable(),
    owner: () => companyReference(Member, 'owner_id').nullable().deleteRule('no action'),
    labels: labelsProperty(),
    /** Kinds of data that the vendor sees. */
    dataCategories: labelsProperty(),
    contractStart: p.date().nullable(),
    contractEnd: p.date().nullable(),
    reviewEveryMonths: p.integer().nullable(),
    nextReview: p.date().nullable(),
    contacts: p.json<Contact[]>().default([]),
  },
  readOnly: { ...externalIdsProperty, lastReview: p.json<StoredReview>().nullable() },
  people: { owner: 'ownerId', lastReview: 'lastReview' },
  verbs: { lastReview: 'review' },
  children: { evidenceCount: 'evidence' },
  derived: { active: { of: 'status', equals: 'active' } },
});

/** Fields of a vendor that a client may change. */
export type VendorFields = ReturnType<typeof vendorResource.applyChanges>;

/** Changes of a vendor. `active` is an alternative to `status`. */
export type VendorChanges = ChangesOf<VendorFields & { active: boolean }>;

/** For contracts that have ended or end soon. */
const CONTRACT_END_INDEX = `create index vendor_by_contract_end on vendor (company_id, contract_end)
  where contract_end is not null`;

const vendorSchema = defineEntity({
  name: 'Vendor',
  properties: { ...companyKeyWithoutForeignKey, ...vendorResource.properties },
  ...tenantIsolation(),
  indexes: [
    { name: 'vendor_by_name', properties: ['company', 'name', 'uniqueId'] },
    { name: 'vendor_by_update', properties: ['company', 'updatedAt', 'uniqueId'] },
    { name: 'vendor_by_status', properties: ['company', 'status'] },
    { name: 'vendor_by_criticality', properties: ['company', 'criticality', 'uniqueId'] },
    { name: 'vendor_by_next_review', properties: ['company', 'nextReview', 'uniqueId'] },
    { name: 'vendor_by_contract_end', expression: CONTRACT_END_INDEX },
  ],
  checks: [
    { name: 'vendor_name_not_empty', expression: `name::text <> ''::text` },
    {
      name: 'vendor_criticality',
      expression: `criticality >= ${CRITICALITY.min} AND criticality <= ${CRITICALITY.max}`,
    },
    { name: 'vendor_labels', expression: labelsCheck('labels') },
    { name: 'vendor_data_categories', expression: labelsCheck('data_categories') },
    ...['contract_start', 'contract_end', 'next_review'].map((column) => ({
      name: `vendor_${column}`,
      expression: dateRangeCheck(column),
    })),
    { name: 'vendor_contract_end_not_before_contract_start', expression: 'contract_end >= contract_start' },
    {
      name: 'vendor_review_every_months',
      expression: `review_every_months >= ${REVIEW_MONTHS.min} AND review_every_months <= ${REVIEW_MONTHS.max}`,
    },
    { name: 'vendor_contacts_max', expression: `jsonb_array_length(contacts) <= ${CONTACT_LIMITS.max}` },
    { name: 'vendor_last_review', expression: `last_review ?& ARRAY['at'::text, 'by'::text, 'note'::text]` },
    externalIdsCheck('vendor'),
  ],
  triggers: [
    ...resourceTriggers(vendorResource),
    defineTrigger('vendor_leave_tasks', 'before', ['delete'], 'vendor', 'row', 'remove_vendor_from_tasks()'),
    ...externalIdsTriggers('vendor'),
  ],
});

/** A supplier in the company's smart inventory. */
export class Vendor extends vendorSchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
  static readonly resource = vendorResource;
}
vendorSchema.setClass(Vendor);

/**
 * Fields of a vendor after changes. `active: false` leaves an archived vendor archived.
 * @throws ApiError 422 for a contract that ends before it starts
 */
export function applyVendorChanges(before: VendorFields, { active, ...changes }: VendorChanges): VendorFields {
  const statusFromActive =
    active === true ? 'active' : active === false && before.status === 'active' ? 'inactive' : undefined;
  const after = vendorResource.applyChanges(before, { ...changes, status: changes.status ?? statusFromActive });
  requireContractDates(after);
  return after;
}

/** @throws ApiError 422 for a contract that ends before it starts */
export function requireContractDates({
  contractStart,
  contractEnd,
}: Pick<VendorFields, 'contractStart' | 'contractEnd'>) {
  if (contractStart !== null && contractEnd !== null && contractEnd < contractStart)
    throw new ApiError('unprocessable', `contractEnd: ${contractEnd} is before contractStart ${contractStart}`);
}

/** Error text if `active` and `status` contradict each other. */
export const statusConflict = ({ active, status }: VendorChanges): string | undefined =>
  active !== undefined && status !== undefined && active !== (status === 'active')
    ? `contradicts status ${status}`
    : undefined;
