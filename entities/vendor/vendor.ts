import { defineEntity, p } from '@mikro-orm/core';
import { z } from 'zod';
import { externalIds, externalIdsTriggers } from '../external-id/external-id.ts';
import { MAX_DESCRIPTION_LENGTH, html } from '../fields/html.ts';
import { describeInput, plainColumn } from '../fields/kind.ts';
import { labels } from '../fields/labels.ts';
import { person } from '../fields/references.ts';
import { notBefore } from '../fields/rules.ts';
import {
  ActorOutput,
  expected,
  maxLength,
  nameOf,
  textOutput,
  timestampOutput,
  trimmedText,
} from '../fields/schemas.ts';
import { name, url } from '../fields/text.ts';
import { date, integer, json, oneOf } from '../fields/values.ts';
import { resourceTriggers } from '../schema/access.ts';
import type { StoredReview } from '../schema/people.ts';
import { defineResource } from '../schema/resource.ts';
import type { ChangesOf } from '../schema/field-types.ts';
import { companyKeyWithoutForeignKey, tenantIsolation } from '../schema/tenancy.ts';
import { defineTrigger } from '../schema/triggers.ts';

const MAX_CONTACTS = 20;
/** Lengths are in characters. */
const NAME = { max: 255, description: 'Name of the person', forModels: null };
const EMAIL = { max: 254, description: 'Email address', forModels: null };
const ROLE = { max: 255, description: 'What the person does, in free text', forModels: null };
const CONTACT = { description: 'A person at the vendor', forModels: null };

const optionalText = (max: number) => trimmedText(max).nullable().default(null);

const ContactInput = z.strictObject(
  {
    name: describeInput(nameOf(NAME.max), NAME),
    email: describeInput(optionalText(EMAIL.max).pipe(z.email(expected('an email address')).nullable()), EMAIL),
    role: describeInput(optionalText(ROLE.max), ROLE),
  },
  expected('an object'),
);

const ContactOutput = z
  .object({
    name: textOutput(NAME.max, 'Ada Berg', NAME.description),
    email: textOutput(EMAIL.max, 'ada@cloud.example', EMAIL.description).nullable(),
    role: textOutput(ROLE.max, 'Account manager', ROLE.description).nullable(),
  })
  .meta({ id: 'Contact', description: CONTACT.description });

/** The people at a vendor. */
const contacts = () =>
  json(
    describeInput(
      z
        .array(describeInput(ContactInput, CONTACT, { id: 'NewContact' }), expected('an array of contacts'))
        .check(maxLength(MAX_CONTACTS, expected(`at most ${MAX_CONTACTS} contacts`))),
      { description: `Replaces all contacts. At most ${MAX_CONTACTS}.`, forModels: null },
    ),
    z.array(ContactOutput).meta({
      maxItems: MAX_CONTACTS,
      description: 'People at the vendor, in the order in which they were sent',
    }),
    {
      personal: 'content',
      check: { suffix: '_max', condition: (column) => `jsonb_array_length(${column}) <= ${MAX_CONTACTS}` },
    },
  );

export const VENDOR_STATUSES = ['active', 'inactive', 'archived'] as const;
export type VendorStatus = (typeof VENDOR_STATUSES)[number];

/** 1 is critical, 4 is low. */
export const CRITICALITY = { min: 1, max: 4, description: '1 critical, 2 high, 3 medium, 4 low' } as const;
const CRITICALITY_WORDS = ['Critical', 'High', 'Medium', 'Low'];
export const MAX_REVIEW_NOTE_LENGTH = 2000;

export const REVIEW_OUTCOMES = ['approved', 'conditional', 'rejected'] as const;
export type ReviewOutcome = (typeof REVIEW_OUTCOMES)[number];

/** A review as its column holds it. Those of versions before 0.19.0 have neither outcome nor risk. */
export interface VendorReview extends StoredReview {
  outcome?: ReviewOutcome | null;
  risk?: number | null;
}

const OUTCOME = 'What the review decided; null if it was not sent';
const FOUND_RISK = `Risk that the review found: ${CRITICALITY.description}; null if it was not sent`;

/** Fields of a review, with their schemas. */
export const reviewFields = {
  outcome: oneOf(REVIEW_OUTCOMES, { description: OUTCOME, forModels: null }),
  risk: integer({
    ...CRITICALITY,
    words: CRITICALITY_WORDS,
    description: FOUND_RISK,
    forModels: '1 critical to 4 low',
    example: 3,
  }),
};

const lastReview = {
  ...plainColumn(p.json<VendorReview>().nullable(), 'content', {
    suffix: '',
    condition: (stored) => `${stored} ?& ARRAY['at'::text, 'by'::text, 'note'::text]`,
  }),
  laterKeys: Object.keys(reviewFields),
  output: z
    .object({
      at: timestampOutput.meta({ description: 'Time of the review, in UTC' }),
      by: ActorOutput.meta({ description: 'User who reviewed the vendor' }),
      note: textOutput(MAX_REVIEW_NOTE_LENGTH, 'SOC 2 report is current.', 'Plain text, which may be empty'),
      // A review of an earlier version has neither with `asOf`, which shows it as it was recorded.
      outcome: reviewFields.outcome.output.nullable().exactOptional().meta({ description: OUTCOME }),
      risk: reviewFields.risk.output.nullable().exactOptional().meta({ description: FOUND_RISK }),
    })
    .nullable()
    .meta({ description: 'The last review; `reviewVendor` sets it' }),
};

export const vendorResource = defineResource({
  type: 'vendor',
  name: 'name',
  access: { of: 'company' },
  fields: {
    // By code point, so that the order and cursors are the same in every database.
    name: name(
      {
        description: 'Name of the vendor; other vendors may have the same one',
        input: { description: 'Vendor name. Duplicates are allowed.' },
        forModels: null,
        example: 'Cloud Ltd',
      },
      'C',
    ),
    status: oneOf(VENDOR_STATUSES, {
      description: 'Whether the company uses the vendor; an `archived` vendor is kept for the records',
      forModels: null,
    }).default('active'),
    description: html(MAX_DESCRIPTION_LENGTH, { example: '<p>Hosts our <b>production</b>.</p>' }).default(''),
    website: url(2048, {
      description: 'http or https URL of the vendor',
      input: { description: 'http or https URL of the vendor, without user info' },
      forModels: null,
      example: 'https://cloud.example',
    }).nullable(),
    criticality: integer({
      ...CRITICALITY,
      words: CRITICALITY_WORDS,
      forModels: '1 critical to 4 low',
      example: 2,
    }).nullable(),
    owner: person('owner', { description: 'Member who looks after the vendor', id: 'An active member' }),
    labels: labels('labels', 'hosting'),
    /** Kinds of data that the vendor sees. */
    dataCategories: labels('data categories', 'customer data'),
    contractStart: date({ description: 'First day of the contract', forModels: null }).nullable(),
    contractEnd: date({
      description: 'Last day of the contract',
      input: { description: 'Last day of the contract, not before contractStart, whether one or both are sent' },
      forModels: null,
    }).nullable(),
    reviewEveryMonths: integer({
      min: 1,
      max: 60,
      description: 'Months from a review to the next one',
      forModels: null,
      example: 12,
    })
      .forPeople({ label: 'Months between reviews' })
      .nullable(),
    nextReview: date({ description: 'Day on which the next review is due', forModels: null }).nullable(),
    contacts: contacts().forPeople({ written: 'contacts' }).default([]),
  },
  readOnly: {
    externalIds,
    lastReview,
  },
  people: { owner: 'ownerId', lastReview: 'lastReview' },
  verbs: { lastReview: 'review' },
  children: { evidenceCount: 'evidence' },
  derived: { active: { of: 'status', equals: 'active' } },
  rules: [notBefore('contractEnd', 'contractStart')],
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
    { name: 'vendor_by_update', properties: ['company', 'updatedAt', 'uniqueId'] },
    { name: 'vendor_by_status', properties: ['company', 'status'] },
    { name: 'vendor_by_criticality', properties: ['company', 'criticality', 'uniqueId'] },
    { name: 'vendor_by_next_review', properties: ['company', 'nextReview', 'uniqueId'] },
    { name: 'vendor_by_contract', properties: ['company', 'contractEnd', 'uniqueId'] },
  ],
  checks: vendorResource.checks,
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
  return vendorResource.applyChanges(before, { ...changes, status: changes.status ?? statusFromActive });
}

/** Error text if `active` and `status` contradict each other. */
export const statusConflict = ({ active, status }: VendorChanges): string | undefined =>
  active !== undefined && status !== undefined && active !== (status === 'active')
    ? `contradicts status ${status}`
    : undefined;
