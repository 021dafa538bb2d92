import { z } from 'zod';
import {
  EXAMPLE_IDS,
  changeMetadataOutput,
  forModels,
  textInput,
  timestampInput,
  uniqueIdInput,
  uniqueIdOutput,
} from '../../entities/fields/schemas.ts';
import { boolean, calendarDate } from '../../entities/fields/values.ts';
import {
  CRITICALITY,
  MAX_REVIEW_NOTE_LENGTH,
  reviewFields,
  statusConflict,
  vendorResource,
} from '../../entities/vendor/vendor.ts';
import type { VendorChanges as Changes } from '../../entities/vendor/vendor.ts';
import { evidenceCountOutput } from '../parent/expiring.ts';
import {
  BY_EXTERNAL_ID,
  elsewhereThanInPost,
  externalIdInput,
  externalIdsOutput,
  upsertOptions,
} from '../schemas/external-id.ts';
import { changesShape, createShape, outputShape } from '../schemas/resource.ts';
import { unknownFields } from '../schemas/unknown-fields.ts';

/** An alternative to `status`. */
const active = boolean({ description: 'Whether the status is `active`', forModels: null });

const { name, description, status, ...others } = vendorResource.schemas;
const vendorFields = { name, description, active, status, ...others };
const { status: _status, ...createFields } = vendorFields;
const { ownerId, ...shownFields } = others;

export const VendorId = z.strictObject({ vendor: uniqueIdInput('The vendor’s uniqueId', EXAMPLE_IDS.vendor) });

export const VendorIdAsOf = VendorId.extend({
  asOf: timestampInput
    .optional()
    .meta({ description: 'Returns the vendor as it was at this time. Requires the scope `audit:read` too.' }),
});

export const NewVendor = z
  .strictObject(
    createShape(createFields, { ...vendorResource.defaults, active: true }),
    unknownFields(() => ({
      shown: VendorOutput.shape,
      elsewhere: elsewhereThanInPost('a new vendor is active, or inactive with active: false'),
    })),
  )
  .meta({ id: 'NewVendor' });

/** Adds an issue if `active` and `status` contradict each other. */
export function checkStatus(changes: Changes, issues: z.RefinementCtx): void {
  const message = statusConflict(changes);
  if (message !== undefined) issues.addIssue({ code: 'custom', path: ['active'], message, params: { isRule: true } });
}

const ofVendor = unknownFields(() => ({ shown: VendorOutput.shape, elsewhere: BY_EXTERNAL_ID }));

const vendorChanges = z.strictObject({ ...VendorId.shape, ...changesShape(vendorFields) }, ofVendor);

export const VendorChanges = vendorChanges.superRefine(checkStatus);

export const VendorByExternalId = z.strictObject(externalIdInput);

export const VendorLink = z.strictObject({ ...VendorId.shape, ...externalIdInput });

/** Fields of a vendor in a PUT, where `replace` requires a name. */
export const VendorBody = z.strictObject(changesShape(vendorFields));

export const VendorPut = z
  .strictObject({ ...externalIdInput, ...upsertOptions, ...VendorBody.shape }, ofVendor)
  .superRefine(checkStatus)
  .superRefine(({ mode, name: sentName }, issues) => {
    if (mode === 'replace' && sentName === undefined)
      issues.addIssue({ code: 'custom', path: ['name'], message: 'required' });
  });

const fieldsBeforeOwner = {
  uniqueId: uniqueIdOutput,
  ...outputShape({ name, status, active, description, ...shownFields }),
};
const owner = ownerId.shown;
const lastReview = vendorResource.readOnlySchemas.lastReview.output;

export const VendorOutput = z
  .object({
    ...fieldsBeforeOwner,
    owner,
    lastReview,
    externalIds: externalIdsOutput,
    ...evidenceCountOutput,
    ...changeMetadataOutput,
  })
  .meta({ id: 'Vendor', description: 'A vendor of the company' });

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
  outcome: reviewFields.outcome.input
    .nullable()
    .optional()
    .meta({ description: 'What the review decided' })
    .register(forModels, { description: undefined }),
  risk: reviewFields.risk.input
    .nullable()
    .optional()
    .meta({ description: `Risk that the review found: ${CRITICALITY.description}` })
    .register(forModels, { description: '1 critical to 4 low' }),
  nextReview: calendarDate.nullable().optional().meta({
    description: 'By default the same day `reviewEveryMonths` months after today, or null without it',
  }),
});

/** Strict, so that a whole vendor does not match it. */
export const ListedVendor = z
  .strictObject({ uniqueId: uniqueIdOutput, name: name.output, status: status.output })
  .meta({ id: 'ListedVendor', description: 'A vendor in a list without `view=full`' });
