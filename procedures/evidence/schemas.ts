import { z } from 'zod';
import {
  EVIDENCE_KINDS,
  EXPIRING_DAYS,
  MAX_LINK_LENGTH,
  MAX_MEDIA_TYPE_LENGTH,
  evidenceResource,
} from '../../entities/evidence/evidence.ts';
import { MAX_ID } from '../../entities/ids.ts';
import { ParentOutput, ofParent } from '../parent/parent.ts';
import {
  EXAMPLE_IDS,
  NOT_STORABLE,
  booleanInput,
  boundedText,
  changeMetadataOutput,
  expected,
  forModels,
  integerOutput,
  isStorable,
  nameOf,
  textOutput,
  uniqueIdInput,
  uniqueIdOutput,
} from '../../entities/fields/schemas.ts';
import { pagination } from '../schemas/pagination.ts';
import { changesShape, createShape } from '../schemas/resource.ts';
import { unknownFields } from '../schemas/unknown-fields.ts';
import { httpUrlInput } from '../../entities/fields/url.ts';
import { calendarDate } from '../../entities/fields/dates.ts';

const { maxLengths } = evidenceResource;
const EXPECTED_NOTE = `text of at most ${maxLengths.note} characters`;

/** What no name of a file has where evidence is saved, and the names of folders. */
const FORBIDDEN_NAME = /[/\\]|^\.{1,2}$/;

/** Every field of evidence. */
const evidenceFields = {
  name: {
    input: nameOf(maxLengths.name)
      .refine((name) => !FORBIDDEN_NAME.test(name), 'expected a name without / and \\, other than . and ..')
      .meta({ description: 'Name of the file or the link', examples: ['Access review Q2.pdf'] }),
    output: textOutput(maxLengths.name, 'Access review Q2.pdf', 'Name of the file or the link'),
  },
  note: {
    input: boundedText(z.string(expected(EXPECTED_NOTE)), EXPECTED_NOTE, maxLengths.note)
      .refine(isStorable, NOT_STORABLE)
      .meta({ description: 'Plain text', examples: ['Signed by the head of IT'] }),
    output: textOutput(maxLengths.note, 'Signed by the head of IT', 'Plain text, which may be empty'),
  },
  date: {
    input: calendarDate.meta({
      description: 'The day that the evidence speaks for; by default today in the time zone of the company',
      examples: ['2026-06-30'],
    }),
    output: calendarDate.meta({ description: 'The day that the evidence speaks for' }),
  },
  validUntil: {
    input: calendarDate.nullable().meta({ description: 'Last day on which it is valid, not before `date`' }),
    output: calendarDate.nullable().meta({ description: 'Last day on which it is valid; null without end' }),
  },
};

const { name, date, ...optionalFields } = evidenceFields;
const newEvidenceShape = {
  name: name.input,
  date: date.input.optional(),
  ...createShape(optionalFields, evidenceResource.defaults),
};

/** Fields of a file, in the query of its upload, where an omitted date is none. */
export const newFileShape = {
  ...newEvidenceShape,
  validUntil: calendarDate
    .meta({ description: 'Last day on which it is valid, not before `date`; by default without end' })
    .optional(),
};
export const FILE_QUERY_FIELDS = Object.keys(newFileShape);
export const NewFile = ofParent(newFileShape);

export const newLinkShape = {
  url: httpUrlInput(MAX_LINK_LENGTH)
    .meta({
      description: 'http or https URL of the evidence, without user info',
      examples: ['https://wiki.example.com/access-review'],
    })
    .register(forModels, { description: undefined }),
  ...newEvidenceShape,
};
/** Unknown fields of evidence in a request. */
export const ofEvidence = unknownFields(() => ({ shown: EvidenceOutput.shape }));

export const NewLink = ofParent(newLinkShape, ofEvidence);

export const EvidenceQuery = ofParent(pagination);

export const AllEvidenceQuery = z.strictObject({
  ...pagination,
  expiring: booleanInput
    .meta({
      description: `True for what is valid for less than ${EXPIRING_DAYS} days, without any that is valid longer`,
    })
    .optional(),
});

export const EvidenceId = z.strictObject({
  evidence: uniqueIdInput('The uniqueId of the evidence', EXAMPLE_IDS.evidence),
});

export const EvidenceChanges = z.strictObject({ ...EvidenceId.shape, ...changesShape(evidenceFields) }, ofEvidence);

export const EvidenceOutput = z
  .object({
    uniqueId: uniqueIdOutput,
    resource: ParentOutput.meta({ description: 'Task or vendor that it proves' }),
    kind: z.enum(EVIDENCE_KINDS).meta({ description: '`file` was uploaded, `link` is the URL of a page elsewhere' }),
    name: evidenceFields.name.output,
    url: textOutput(
      MAX_LINK_LENGTH,
      'https://wiki.example.com/access-review',
      'URL of a link; null for a file',
    ).nullable(),
    mediaType: textOutput(
      MAX_MEDIA_TYPE_LENGTH,
      'application/pdf',
      'Media type as it was sent; null for a link',
    ).nullable(),
    size: integerOutput(1, MAX_ID, 'Size in bytes; null for a link').nullable(),
    sha256: textOutput(
      64,
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      'SHA-256 of the bytes, in hexadecimal digits; null for a link',
    ).nullable(),
    note: evidenceFields.note.output,
    date: evidenceFields.date.output,
    validUntil: evidenceFields.validUntil.output,
    ...changeMetadataOutput,
  })
  .meta({ id: 'Evidence', description: 'A file or a link that proves a task, or the state of a vendor' });
