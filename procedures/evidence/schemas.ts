import { z } from 'zod';
import {
  CHECK_RESULTS,
  EXPIRING_DAYS,
  MAX_CHECK_NOTE_LENGTH,
  evidenceResource,
} from '../../entities/evidence/evidence.ts';
import {
  EXAMPLE_IDS,
  booleanInput,
  changeMetadataOutput,
  enumInput,
  textInput,
  uniqueIdInput,
  uniqueIdOutput,
} from '../../entities/fields/schemas.ts';
import { calendarDate } from '../../entities/fields/values.ts';
import { ParentOutput, ofParent } from '../parent/parent.ts';
import { pagination } from '../schemas/pagination.ts';
import { checkSample, sampleInput } from '../schemas/sample.ts';
import { changesShape, createShape, outputShape } from '../schemas/resource.ts';
import { unknownFields } from '../schemas/unknown-fields.ts';

const { kind, url, mediaType, size, sha256 } = evidenceResource.createdSchemas;
const { name, note, date, validUntil } = evidenceResource.schemas;

const newEvidenceShape = {
  name: name.input,
  date: date.input.optional(),
  ...createShape({ note, validUntil }, evidenceResource.defaults),
};

/** Fields of a file, in the query of its upload. A date that is left out is null. */
export const newFileShape = {
  ...newEvidenceShape,
  validUntil: calendarDate
    .meta({ description: 'Last day on which it is valid, not before `date`; by default without end' })
    .optional(),
};
export const FILE_QUERY_FIELDS = Object.keys(newFileShape);
export const NewFile = ofParent(newFileShape);

export const newLinkShape = {
  url: url.input.unwrap(),
  ...newEvidenceShape,
};
/** Unknown fields of evidence in a request. */
export const ofEvidence = unknownFields(() => ({ shown: EvidenceOutput.shape }));

export const NewLink = ofParent(newLinkShape, ofEvidence);

export const EvidenceQuery = ofParent(pagination);

export const AllEvidenceQuery = z
  .strictObject({
    ...pagination,
    ...sampleInput,
    expiring: booleanInput
      .meta({
        description: `True for what is valid for less than ${EXPIRING_DAYS} days, without any that is valid longer`,
      })
      .optional(),
    check: enumInput([...CHECK_RESULTS, 'none'])
      .meta({ description: 'Result of the last check; `none` for evidence without one' })
      .optional(),
  })
  .superRefine(checkSample);

export const EvidenceId = z.strictObject({
  evidence: uniqueIdInput('The uniqueId of the evidence', EXAMPLE_IDS.evidence),
});

export const EvidenceChanges = z.strictObject(
  { ...EvidenceId.shape, ...changesShape(evidenceResource.schemas) },
  ofEvidence,
);

export const CheckInput = z.strictObject({
  ...EvidenceId.shape,
  result: enumInput(CHECK_RESULTS)
    .nullable()
    .meta({ description: 'Null withdraws the check', examples: ['accepted'] }),
  note: textInput(`text of at most ${MAX_CHECK_NOTE_LENGTH} characters`, MAX_CHECK_NOTE_LENGTH)
    .default('')
    .meta({ description: 'Plain text' }),
});

export const EvidenceOutput = z
  .object({
    uniqueId: uniqueIdOutput,
    resource: ParentOutput.meta({ description: 'Task or vendor that it proves' }),
    ...outputShape({ kind, name, url, mediaType, size, sha256, note, date, validUntil }),
    check: evidenceResource.readOnlySchemas.check.output,
    ...changeMetadataOutput,
  })
  .meta({ id: 'Evidence', description: 'A file or a link that proves a task, or the state of a vendor' });
