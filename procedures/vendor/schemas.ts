import { z } from 'zod';
import { VENDOR_STATUSES, statusConflict, vendorResource } from '../../entities/vendor/vendor.ts';
import type { VendorChanges as Changes } from '../../entities/vendor/vendor.ts';
import {
  EXAMPLE_IDS,
  booleanInput,
  changeMetadataOutput,
  enumInput,
  nameInput,
  timestampInput,
  uniqueIdInput,
  uniqueIdOutput,
} from '../schemas/fields.ts';
import { addEntityTag, etagOutput, ifMatchInput } from '../schemas/entity-tag.ts';
import { externalIdInput, externalIdsOutput, upsertOptions } from '../schemas/external-id.ts';
import { descriptionInput } from '../schemas/html/input.ts';
import { evidenceCountOutput, textOutput } from '../schemas/output.ts';
import { changesShape, createShape, outputShape } from '../schemas/resource.ts';

export const status = enumInput(VENDOR_STATUSES);
const active = booleanInput.meta({ description: 'Whether the status is `active`' });

/** Every field of a vendor. A create takes all of them except `status`. */
const vendorFields = {
  name: {
    input: nameInput('Vendor name. Duplicates are allowed.'),
    output: textOutput(vendorResource.maxLengths.name, 'Cloud Ltd'),
  },
  description: {
    input: descriptionInput,
    output: textOutput(vendorResource.maxLengths.description, '<p>Hosts our <b>production</b>.</p>'),
  },
  active: { input: active, output: active },
  status: { input: status, output: status },
};
const { status: _status, ...createFields } = vendorFields;
const { name, active: activeOutput, status: statusOutput, ...otherOutputs } = outputShape(vendorFields);

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

export const VendorOutput = z
  .object({
    uniqueId: uniqueIdOutput,
    name,
    status: statusOutput,
    active: activeOutput,
    ...otherOutputs,
    externalIds: externalIdsOutput,
    ...evidenceCountOutput,
    ...changeMetadataOutput,
  })
  .meta({ id: 'Vendor' });

/** A vendor over tRPC. */
export const TaggedVendor = VendorOutput.extend(etagOutput).overwrite(addEntityTag).meta({ id: 'TaggedVendor' });

/** Strict, so that a whole vendor does not match it. */
export const ListedVendor = z.strictObject({ uniqueId: uniqueIdOutput, name, status }).meta({ id: 'ListedVendor' });
