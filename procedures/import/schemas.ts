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
  textOutput,
  timestampOutput,
  uniqueIdInput,
  uniqueIdOutput,
} from '../../entities/fields/schemas.ts';
import { MAX_ID } from '../../entities/ids.ts';
import {
  IMPORT_FORMATS,
  IMPORT_KINDS,
  IMPORT_MODES,
  IMPORT_STATES,
  MAX_IMPORT_ROWS,
  MAX_REASON_LENGTH,
} from '../../entities/import/import.ts';
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
export const QUERY_FIELDS = ['dryRun', 'strict', 'mode', 'source'] as const;

/** Format of a file. */
export const formatInput = enumInput(IMPORT_FORMATS);

const importFields = {
  content: z
    .string(expected('text'))
    .refine((text) => text.isWellFormed(), 'expected well-formed Unicode')
    .meta({ description: 'The file as text. REST takes it as the request body.', examples: ['name\r\nCloud Ltd\r\n'] })
    .register(forModels, { description: 'The file' })
    .optional(),
  format: formatInput
    .meta({ description: 'Format of `content`. REST takes it from `Content-Type`.' })
    .register(forModels, { description: undefined })
    .default('csv'),
  dryRun: flag(
    'Checks every row and counts as if it was applied, but writes nothing',
    'Checks every row and writes nothing',
  ),
  strict: flag('One bad row makes the import fail before anything is written', 'One bad row makes the import fail'),
  mode: enumInput(IMPORT_MODES)
    .meta({
      description:
        'Fields of an existing item that are missing or empty in a row: `merge` keeps their value, `replace` gives them their default',
    })
    .register(forModels, {
      description: 'Fields that are missing or empty in a row: `merge` keeps them, `replace` sets their default',
    })
    .default('merge'),
  source: externalIdInput.source
    .meta({ description: 'Source of the column `externalId`. Each row then creates or updates the item with this id.' })
    .register(forModels, { description: 'Source of the column `externalId`' })
    .optional(),
};

export const VendorImport = z.strictObject(importFields);
export const TaskImport = z.strictObject({ ...frameworkParameter, ...importFields });

/** Parameters of an import, without the framework. */
export type ImportInput = z.infer<typeof VendorImport>;

export const ImportId = z.strictObject({ importUniqueId: uniqueIdInput('The import’s uniqueId', EXAMPLE_IDS.import) });

export const ErrorQuery = ImportId.extend(
  paginationInput(ERROR_PAGE_SIZE.max, `${ERROR_PAGE_SIZE.default} by default`),
);

const RowErrorOutput = z
  .object({
    row: integerOutput(1, MAX_IMPORT_ROWS, 'Number of the row, from 1 below the header').meta({ examples: [2] }),
    line: integerOutput(1, MAX_ID, 'First line of the row in the file').meta({ examples: [3] }),
    field: textOutput(100, 'name', 'Field with the error; null if none applies').nullable(),
    error: textOutput(MAX_REASON_LENGTH, 'name: required', 'Message for people, which names the field'),
  })
  .meta({ id: 'ImportError', description: 'An error in one row of an import' });

const rowCount = (description: string) => integerOutput(0, MAX_IMPORT_ROWS, description).meta({ examples: [0] });
const timeOrNull = (description: string) => timestampOutput.nullable().meta({ description, examples: [null] });

export const ImportOutput = z
  .object({
    uniqueId: uniqueIdOutput.meta({ examples: [EXAMPLE_IDS.import] }),
    kind: z.enum(IMPORT_KINDS).meta({ description: 'Type of the items in the file' }),
    framework: idOutput.nullable().meta({ description: 'Framework of the tasks; null for vendors', examples: [null] }),
    dryRun: z.boolean().meta({ description: 'True if nothing is written' }),
    state: z
      .enum(IMPORT_STATES)
      .meta({ description: 'Progress; an import has ended if it is neither `queued` nor `running`' }),
    rows: rowCount('Rows of the file; 0 until all of it is read'),
    created: rowCount('Rows that created an item'),
    updated: rowCount('Rows that changed an item'),
    unchanged: rowCount('Rows that changed nothing'),
    failed: rowCount('Rows with an error'),
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
  .meta({ id: 'Import', description: 'A file of vendors or tasks that is applied in the background' });

export const ImportQuery = z.strictObject(pagination);

/** A page of imports, without their errors. */
export const ImportPage = pageOutput(ImportOutput.omit({ errors: true }));

export const ErrorPage = pageOutput(RowErrorOutput, ERROR_PAGE_SIZE.max).meta({
  id: 'ImportErrors',
  description: 'A page of the errors of an import',
});
