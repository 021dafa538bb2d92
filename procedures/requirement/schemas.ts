import { z } from 'zod';
import {
  EXAMPLE_IDS,
  changeMetadataOutput,
  enumInput,
  idOutput,
  integerOutput,
  textInput,
  timestampInput,
  uniqueIdInput,
  uniqueIdOutput,
} from '../../entities/fields/schemas.ts';
import { MAX_ID } from '../../entities/ids.ts';
import {
  MAX_NOTE_LENGTH,
  REQUIREMENT_STATUSES,
  RESULTS,
  requirementResource,
} from '../../entities/requirement/requirement.ts';
import { evidenceCountOutput } from '../parent/expiring.ts';
import { changesShape, createShape, outputShape } from '../schemas/resource.ts';
import { unknownFields } from '../schemas/unknown-fields.ts';
import { frameworkParameter } from '../task/schemas.ts';

const { ownerId, ...shownFields } = requirementResource.schemas;

export const RequirementId = z.strictObject({
  requirement: uniqueIdInput('The requirement’s uniqueId', EXAMPLE_IDS.requirement),
});

export const RequirementIdAsOf = RequirementId.extend({
  asOf: timestampInput
    .optional()
    .meta({ description: 'Returns the requirement as it was at this time. Requires the scope `audit:read` too.' }),
});

const ofRequirement = unknownFields(() => ({ shown: RequirementOutput.shape }));

export const NewRequirement = z
  .strictObject(
    { ...frameworkParameter, ...createShape(requirementResource.schemas, requirementResource.defaults) },
    ofRequirement,
  )
  .meta({ id: 'NewRequirement' });

export const RequirementChanges = z.strictObject(
  { ...RequirementId.shape, ...changesShape(requirementResource.schemas) },
  ofRequirement,
);

export const AssessmentInput = z.strictObject({
  ...RequirementId.shape,
  result: enumInput(RESULTS)
    .nullable()
    .meta({ description: 'Null withdraws the assessment', examples: ['met'] }),
  note: textInput(`text of at most ${MAX_NOTE_LENGTH} characters`, MAX_NOTE_LENGTH)
    .default('')
    .meta({ description: 'Plain text', examples: ['Reviewed with the owners.'] }),
});

const count = (description: string) => integerOutput(0, MAX_ID, description);

const fieldsBeforeOwner = {
  uniqueId: uniqueIdOutput,
  framework: idOutput.meta({ description: 'Id of the framework, which never changes' }),
  ...outputShape(shownFields),
};

/** What follows the owner. */
const assessed = {
  assessment: requirementResource.readOnlySchemas.assessment.output,
  status: z
    .enum(REQUIREMENT_STATUSES)
    .nullable()
    .meta({ description: 'Result of the assessment, if the requirement applies; null for a heading' }),
  tasks: z
    .object({
      open: count('Tasks that are not closed'),
      overdue: count('Open tasks that were due before today'),
      closed: count('Tasks that are done, not applicable or canceled'),
    })
    .nullable()
    .meta({ description: 'Numbers of the linked tasks that you may see; null with `asOf`' }),
  ...evidenceCountOutput,
};

export const RequirementOutput = z
  .object({ ...fieldsBeforeOwner, owner: ownerId.shown, ...assessed, ...changeMetadataOutput })
  .meta({ id: 'Requirement', description: 'A requirement of a framework' });

const { parent, ...fieldsAfterDescription } = shownFields;
const { ref, title, description, ...fieldsAfterParent } = fieldsAfterDescription;

/** Fields of a requirement in an export, which can be imported. */
export const exportedFields = {
  uniqueId: uniqueIdOutput,
  framework: fieldsBeforeOwner.framework,
  ...outputShape({ ref, title, description, parent }),
  parentRef: ref.output.nullable().meta({ description: '`ref` of the parent' }),
  ...outputShape(fieldsAfterParent),
  owner: ownerId.shown,
  ownerId: ownerId.output,
  ...assessed,
  ...changeMetadataOutput,
};
