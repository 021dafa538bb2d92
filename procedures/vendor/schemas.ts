import { z } from 'zod';
import {
  CONTACT_LIMITS,
  CRITICALITY,
  MAX_REVIEW_NOTE_LENGTH,
  REVIEW_MONTHS,
  VENDOR_STATUSES,
  statusConflict,
  vendorResource,
} from '../../entities/vendor/vendor.ts';
import type { VendorChanges as Changes } from '../../entities/vendor/vendor.ts';
import {
  ActorOutput,
  EXAMPLE_IDS,
  booleanInput,
  changeMetadataOutput,
  enumInput,
  expected,
  integerInput,
  maxLength,
  nameInput,
  textInput,
  timestampInput,
  timestampOutput,
  trimmedText,
  uniqueIdInput,
  uniqueIdOutput,
  userIdInput,
} from '../schemas/fields.ts';
import { addEntityTag, etagOutput, ifMatchInput } from '../schemas/entity-tag.ts';
import { externalIdInput, externalIdsOutput, upsertOptions } from '../schemas/external-id.ts';
import { descriptionInput } from '../schemas/html/input.ts';
import { forModels } from '../schemas/for-models.ts';
import { evidenceCountOutput, integerOutput, textOutput } from '../schemas/output.ts';
import { httpUrlInput } from '../schemas/url.ts';
import { nullableDate } from '../schemas/values/dates.ts';
import { labelsField } from '../schemas/values/labels.ts';
import { changesShape, createShape, outputShape } from '../schemas/resource.ts';

export const status = enumInput(VENDOR_STATUSES);
const active = booleanInput
  .meta({ description: 'Whether the status is `active`' })
  .register(forModels, { description: undefined });

export const CRITICALITY_DESCRIPTION = '1 critical, 2 high, 3 medium, 4 low';

const contactText = (max: number) => trimmedText(max).nullable().default(null);

const contactInput = z
  .strictObject(
    {
      name: trimmedText(CONTACT_LIMITS.name),
      email: contactText(CONTACT_LIMITS.email).pipe(z.email(expected('an email address')).nullable()),
      role: contactText(CONTACT_LIMITS.role),
    },
    expected('an object'),
  )
  .meta({ id: 'NewContact' });

const ContactOutput = z
  .object({
    name: textOutput(CONTACT_LIMITS.name, 'Ada Berg'),
    email: textOutput(CONTACT_LIMITS.email, 'ada@cloud.example').nullable(),
    role: textOutput(CONTACT_LIMITS.role, 'Account manager').nullable(),
  })
  .meta({ id: 'Contact' });

/** A month count from one review to the next. */
const months = integerInput(REVIEW_MONTHS.min, REVIEW_MONTHS.max)
  .meta({ description: 'Months from a review to the next one', format: 'int32' })
  .register(forModels, { description: undefined });

/** Every field of a vendor. A create takes all of them except `status`. */
const vendorFields = {
  name: {
    input: nameInput('Vendor name. Duplicates are allowed.').register(forModels, { description: undefined }),
    output: textOutput(vendorResource.maxLengths.name, 'Cloud Ltd'),
  },
  description: {
    input: descriptionInput,
    output: textOutput(vendorResource.maxLengths.description, '<p>Hosts our <b>production</b>.</p>'),
  },
  active: { input: active, output: active },
  status: { input: status, output: status },
  website: {
    input: httpUrlInput(vendorResource.maxLengths.website).nullable(),
    output: textOutput(vendorResource.maxLengths.website, 'https://cloud.example').nullable(),
  },
  criticality: {
    input: integerInput(CRITICALITY.min, CRITICALITY.max)
      .meta({ description: CRITICALITY_DESCRIPTION, format: 'int32' })
      .register(forModels, { description: '1 critical to 4 low' })
      .nullable(),
    output: integerOutput(CRITICALITY.min, CRITICALITY.max, CRITICALITY_DESCRIPTION)
      .meta({ examples: [2] })
      .nullable(),
  },
  ownerId: {
    input: userIdInput('An active member').register(forModels, { description: 'Id from `member_list`' }).nullable(),
    output: uniqueIdOutput.nullable(),
  },
  labels: labelsField('labels', 'hosting'),
  dataCategories: labelsField('data categories', 'customer data'),
  contractStart: { input: nullableDate, output: nullableDate },
  contractEnd: {
    input: nullableDate
      .meta({ description: 'Not before contractStart, whether one or both are sent' })
      .register(forModels, { description: undefined }),
    output: nullableDate,
  },
  reviewEveryMonths: {
    input: months.nullable(),
    output: integerOutput(REVIEW_MONTHS.min, REVIEW_MONTHS.max, 'Months from a review to the next one')
      .meta({ examples: [12] })
      .nullable(),
  },
  nextReview: { input: nullableDate, output: nullableDate },
  contacts: {
    input: z
      .array(contactInput, expected('an array of contacts'))
      .check(maxLength(CONTACT_LIMITS.max, expected(`at most ${CONTACT_LIMITS.max} contacts`)))
      .meta({ description: `Replaces all contacts. At most ${CONTACT_LIMITS.max}.` })
      .register(forModels, { description: undefined }),
    output: z.array(ContactOutput).meta({ maxItems: CONTACT_LIMITS.max }),
  },
};
const { status: _status, ...createFields } = vendorFields;
const { ownerId, ...shownFields } = vendorFields;
const { name, active: activeOutput, status: statusOutput, ...otherOutputs } = outputShape(shownFields);

export const VendorId = z.strictObject({ vendor: uniqueIdInput('The vendor’s uniqueId', EXAMPLE_IDS.vendor) });

export const VendorIdAsOf = VendorId.extend({
  asOf: timestampInput
    .optional()
    .meta({ description: 'Returns the vendor as it was at this time. Requires the scope `audit:read` too.' }),
});

export const NewVendor = z
  .strictObject(createShape(createFields, { ...vendorResource.defaults, active: true }))
  .meta({ id: 'NewVendor' });

/** Adds an issue if `active` and `status` contradict each other. */
export function checkStatus(changes: Changes, issues: z.RefinementCtx): void {
  const message = statusConflict(changes);
  if (message !== undefined) issues.addIssue({ code: 'custom', path: ['active'], message });
}

/** A deletion over tRPC. */
export const VendorDeletion = VendorId.extend(ifMatchInput);

const vendorChanges = z.strictObject({ ...VendorId.shape, ...changesShape(vendorFields) });

export const VendorChanges = vendorChanges.superRefine(checkStatus);

/** Changes over tRPC. */
export const VendorUpdate = vendorChanges.extend(ifMatchInput).superRefine(checkStatus);

export const VendorByExternalId = z.strictObject(externalIdInput);

export const VendorLink = z.strictObject({ ...VendorId.shape, ...externalIdInput });

/** Fields of a vendor in a PUT, where `replace` requires a name. */
export const VendorBody = z.strictObject(changesShape(vendorFields));

export const VendorPut = z
  .strictObject({ ...externalIdInput, ...upsertOptions, ...VendorBody.shape })
  .superRefine(checkStatus)
  .superRefine(({ mode, name: sentName }, issues) => {
    if (mode === 'replace' && sentName === undefined)
      issues.addIssue({ code: 'custom', path: ['name'], message: 'required' });
  });

const fieldsBeforeOwner = {
  uniqueId: uniqueIdOutput,
  name,
  status: statusOutput,
  active: activeOutput,
  ...otherOutputs,
};
const owner = ActorOutput.nullable().meta({ description: 'Member who looks after the vendor' });
const lastReview = z
  .object({
    at: timestampOutput,
    by: ActorOutput,
    note: textOutput(MAX_REVIEW_NOTE_LENGTH, 'SOC 2 report is current.'),
  })
  .nullable()
  .meta({ description: 'The last review; `reviewVendor` sets it' });

export const VendorOutput = z
  .object({
    ...fieldsBeforeOwner,
    owner,
    lastReview,
    externalIds: externalIdsOutput,
    ...evidenceCountOutput,
    ...changeMetadataOutput,
  })
  .meta({ id: 'Vendor' });

/** Fields of a vendor in an export, which can be imported. */
export const exportedFields = {
  ...fieldsBeforeOwner,
  owner,
  ownerId: ownerId.output,
  lastReview,
  externalIds: externalIdsOutput,
  ...changeMetadataOutput,
};

export const ReviewInput = z.strictObject({
  ...VendorId.shape,
  note: textInput(`text of at most ${MAX_REVIEW_NOTE_LENGTH} characters`, MAX_REVIEW_NOTE_LENGTH)
    .default('')
    .meta({ description: 'Plain text' }),
  nextReview: nullableDate.optional().meta({
    description: 'By default the same day `reviewEveryMonths` months after today, or null without it',
  }),
});

/** A review over tRPC. */
export const TaggedReviewInput = ReviewInput.extend(ifMatchInput);

/** A vendor over tRPC. */
export const TaggedVendor = VendorOutput.extend(etagOutput).overwrite(addEntityTag).meta({ id: 'TaggedVendor' });

/** Strict, so that a whole vendor does not match it. */
export const ListedVendor = z.strictObject({ uniqueId: uniqueIdOutput, name, status }).meta({ id: 'ListedVendor' });
