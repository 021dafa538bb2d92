import { z } from 'zod';
import {
  ActorOutput,
  EXAMPLE_IDS,
  booleanInput,
  createdAtOutput,
  enumInput,
  expected,
  forModels,
  idOutput,
  integerOutput,
  maxLength,
  textInput,
  textOutput,
  timestampOutput,
  trimmedText,
  uniqueIdInput,
  uniqueIdOutput,
} from '../../entities/fields/schemas.ts';
import { MAX_ID } from '../../entities/ids.ts';
import { MAX_ANSWERS } from '../../entities/import/answers.ts';
import {
  IMPORT_DATES,
  IMPORT_DUPLICATES,
  IMPORT_FORMATS,
  IMPORT_KINDS,
  IMPORT_MODES,
  IMPORT_STATES,
  ROW_FORMATS,
  MAX_ERROR_GROUPS,
  MAX_IMPORT_ROWS,
  MAX_NOTE_VALUE_LENGTH,
  MAX_REASON_LENGTH,
} from '../../entities/import/import.ts';
import type { ImportFormat } from '../../entities/import/import.ts';
import { pageOutput, pagination, paginationInput } from '../schemas/pagination.ts';
import { externalIdInput } from '../schemas/external-id.ts';
import { frameworkParameter } from '../task/schemas.ts';

/** Number of errors in an import object. */
export const MAX_INLINE_ERRORS = 1000;
/** Page size of the errors of an import. */
export const ERROR_PAGE_SIZE = { max: 1000, default: 100 } as const;

const flag = (description: string, forModel: string) =>
  booleanInput.meta({ description }).register(forModels, { description: forModel }).default(false);

/** Fields of the REST query. */
export const QUERY_FIELDS = ['dryRun', 'strict', 'lenient', 'mode', 'dates', 'duplicates', 'source'] as const;

/** Format of a file. */
const rowFormat = enumInput(ROW_FORMATS);
export const formatInput = enumInput(IMPORT_FORMATS);

const importFields = {
  content: z
    .string(expected('text'))
    .refine((text) => text.isWellFormed(), 'expected well-formed Unicode')
    .meta({ description: 'The file as text. REST takes it as the request body.', examples: ['name\r\nCloud Ltd\r\n'] })
    .register(forModels, { description: 'The file' })
    .optional(),
  format: rowFormat
    .meta({ description: 'Format of `content`. REST takes it from `Content-Type`.' })
    .register(forModels, { description: undefined })
    .default('csv'),
  dryRun: flag('Checks and counts every row as if it were applied, but writes nothing', 'Only checks the rows'),
  strict: flag('One bad row makes the import fail before anything is written', 'One bad row makes the import fail'),
  lenient: flag(
    'A value of an optional field that cannot be used is left out with a warning; otherwise its row is not applied',
    'Leaves out unusable values, with a warning',
  ),
  dates: enumInput(IMPORT_DATES)
    .meta({
      description:
        'Format of dates other than `2026-12-31`: `dmy` also takes `31.12.2026` and `31/12/2026`, `mdy` also `12/31/2026`',
    })
    .register(forModels, { description: '`dmy`: also 31.12.2026; `mdy`: also 12/31/2026' })
    .optional(),
  duplicates: enumInput(IMPORT_DUPLICATES)
    .meta({
      description:
        'For a row without an id whose name or title an item already has, ignoring case: `create` creates another item, `skip` does nothing, `update` updates that item. ' +
        'With `source`, only `create` is allowed.',
    })
    .register(forModels, { description: 'A row with the name of an item' })
    .default('create'),
  mode: enumInput(IMPORT_MODES)
    .meta({
      description:
        'Fields of an existing item that are missing or empty in a row: `merge` keeps their value, `replace` gives them their default',
    })
    .register(forModels, {
      description: 'Missing or empty fields: `merge` keeps them, `replace` resets them',
    })
    .default('merge'),
  source: externalIdInput.source
    .meta({ description: 'Source of the column `externalId`. Each row then creates or updates the item with this id.' })
    .register(forModels, { description: 'Source of the column `externalId`' })
    .optional(),
};

/** Adds an issue if names would decide about rows that have ids of a source. */
function checkDuplicates(
  { duplicates, source }: { duplicates: string; source?: string | undefined },
  issues: z.RefinementCtx,
) {
  if (source !== undefined && duplicates !== 'create')
    issues.addIssue({ code: 'custom', path: ['duplicates'], message: 'expected create with source' });
}

export const VendorImport = z.strictObject(importFields).superRefine(checkDuplicates);
export const TaskImport = z.strictObject({ ...frameworkParameter, ...importFields }).superRefine(checkDuplicates);

const { duplicates: _, source: __, format: ___, ...requirementFields } = importFields;

/** Requirements are matched by their ref, so no parameter for equal names is needed. */
export const RequirementImport = z.strictObject({
  ...frameworkParameter,
  ...requirementFields,
  format: formatInput
    .meta({ description: 'Format of `content`; `oscal` is a catalog as JSON. REST takes it from `Content-Type`.' })
    .register(forModels, { description: '`oscal`: a catalog as JSON' })
    .default('csv'),
});

/** Fields of its REST query. */
export const REQUIREMENT_QUERY_FIELDS = Object.keys(requirementFields).filter((name) => name !== 'content');

/** Parameters of an import, without the framework. */
export type ImportInput = Omit<z.infer<typeof VendorImport>, 'format'> & { format: ImportFormat };

export const ImportId = z.strictObject({ importUniqueId: uniqueIdInput('The import’s uniqueId', EXAMPLE_IDS.import) });

export const UndoInput = ImportId.extend({
  dryRun: flag('Counts what would be undone, and undoes nothing', 'Undoes nothing'),
});

export const ErrorQuery = ImportId.extend(
  paginationInput(ERROR_PAGE_SIZE.max, `${ERROR_PAGE_SIZE.default} by default`),
);

const place = {
  row: integerOutput(1, MAX_ID, 'Number of the row, from 1 below the header').meta({ examples: [2] }),
  line: integerOutput(1, MAX_ID, 'First line of the row in the file; null in a catalog, which has none')
    .nullable()
    .meta({ examples: [3] }),
};
const value = textOutput(
  MAX_NOTE_VALUE_LENGTH,
  'tomorrow',
  'The value in the file, shortened; null if there is none',
).nullable();

const RowErrorOutput = z
  .object({
    ...place,
    field: textOutput(100, 'name', 'Field with the error; null if none applies').nullable(),
    value,
    error: textOutput(MAX_REASON_LENGTH, 'name: required', 'Message for people, which names the field'),
  })
  .meta({ id: 'ImportError', description: 'An error in one row of an import' });

const rowCount = (description: string) => integerOutput(0, MAX_IMPORT_ROWS, description).meta({ examples: [0] });
const timeOrNull = (description: string) => timestampOutput.nullable().meta({ description, examples: [null] });

export const ImportOutput = z
  .object({
    uniqueId: uniqueIdOutput.meta({ examples: [EXAMPLE_IDS.import] }),
    kind: z.enum(IMPORT_KINDS).meta({ description: 'Type of the items in the file' }),
    framework: idOutput
      .nullable()
      .meta({ description: 'Framework of the tasks or requirements; null for vendors', examples: [null] }),
    dryRun: z.boolean().meta({ description: 'True if nothing is written' }),
    state: z
      .enum(IMPORT_STATES)
      .meta({ description: 'Progress; an import has ended if it is neither `queued` nor `running`' }),
    rows: rowCount('Rows of the file; 0 until all of it is read'),
    created: rowCount('Rows that created an item'),
    updated: rowCount('Rows that changed an item'),
    unchanged: rowCount('Rows that changed nothing'),
    failed: rowCount('Rows with an error'),
    skipped: rowCount('Rows that were skipped, because an item has their name; for an undo, items that were kept'),
    warnings: integerOutput(0, MAX_ID, 'Values that were left out with `lenient`').meta({ examples: [0] }),
    deleted: rowCount('Items that an undo deleted'),
    undoOf: uniqueIdOutput
      .nullable()
      .meta({ description: 'Import that this one undoes; null for a file', examples: [null] }),
    undoneBy: uniqueIdOutput
      .nullable()
      .meta({ description: 'Import that undoes or undid this one; null without one', examples: [null] }),
    reason: textOutput(
      MAX_REASON_LENGTH,
      'line 1: unknown column "colour"',
      'Why the import failed; null unless it did',
    )
      .nullable()
      .meta({ examples: [null] }),
    errors: z.array(RowErrorOutput).meta({
      maxItems: MAX_INLINE_ERRORS,
      description: 'The first errors, by row; `listImportErrors` has all of them',
      examples: [[]],
    }),
    createdAt: createdAtOutput,
    startedAt: timeOrNull('Time at which the first row was read; null before'),
    endedAt: timeOrNull('Time of the end; null before'),
    createdBy: ActorOutput.meta({ description: 'User who sent the file' }),
  })
  .meta({ id: 'Import', description: 'A file of vendors, tasks or requirements that is applied in the background' });

export const ImportQuery = z.strictObject(pagination);

/** A page of imports, without their errors. */
export const ImportPage = pageOutput(ImportOutput.omit({ errors: true }));

export const ErrorPage = pageOutput(RowErrorOutput, ERROR_PAGE_SIZE.max).meta({
  id: 'ImportErrors',
  description: 'A page of the errors of an import',
});

const RowNoteOutput = z
  .object({
    ...place,
    field: textOutput(100, 'dueDate', 'Field that was left out; null for a row that was skipped').nullable(),
    value,
    reason: textOutput(MAX_REASON_LENGTH, 'dueDate: expected a calendar date; found "tomorrow"', 'Message for people'),
  })
  .meta({ id: 'ImportNote', description: 'A value that was left out, or a row or an item that was skipped' });

export const NotePage = pageOutput(RowNoteOutput, ERROR_PAGE_SIZE.max).meta({
  id: 'ImportNotes',
  description: 'A page of the notes on the rows of an import',
});

export const ErrorSummary = z
  .object({
    items: z
      .array(
        z.object({
          field: textOutput(100, 'ownerId', 'Field with the error; null if none applies').nullable(),
          value,
          error: textOutput(MAX_REASON_LENGTH, 'name: required', 'Message of the errors'),
          rows: integerOutput(1, MAX_ID, 'Number of rows with the error').meta({ examples: [180] }),
          firstRow: integerOutput(1, MAX_ID, 'The first one of them').meta({ examples: [2] }),
        }),
      )
      .meta({ maxItems: MAX_ERROR_GROUPS, description: 'The largest groups first' }),
  })
  .meta({ id: 'ImportErrorSummary', description: 'The errors of an import by field, value and message' });

const answerText = (description: string) => trimmedText(MAX_NOTE_VALUE_LENGTH).meta({ description });

/** Meaning of a value of a field in files. */
export const ImportAnswer = z.strictObject({
  kind: enumInput(IMPORT_KINDS),
  field: trimmedText(100),
  value: answerText('Value in a file'),
  answer: textInput(`text of at most ${MAX_NOTE_VALUE_LENGTH} characters`, MAX_NOTE_VALUE_LENGTH).meta({
    description: 'What it becomes; empty if it is left out',
  }),
});

export const ImportAnswers = z.strictObject({
  answers: z
    .array(ImportAnswer, expected('an array of answers'))
    .check(maxLength(MAX_ANSWERS, expected(`at most ${MAX_ANSWERS} answers`))),
});
