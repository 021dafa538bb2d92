import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { enumInput, integerOutput, textOutput } from '../../entities/fields/schemas.ts';
import { MAX_ID } from '../../entities/ids.ts';
import { EXTERNAL_ID_LIMITS } from '../../entities/external-id/external-id.ts';
import type { ExternalReference } from '../../entities/external-id/external-id.ts';
import type { CsvFile } from '../core/declaration/meta.ts';
import { externalIdInput } from '../schemas/external-id.ts';
import { LIST_BATCH_SIZE, pageOutput, paginationInput } from '../schemas/pagination.ts';
import { BOM, toFormulaText, writeCsvRecord } from './parsing/csv.ts';
import { EXTERNAL_ID_HEADING, ID_HEADING, headingsOf, writeItems } from './for-people.ts';
import type { ExportKind } from './for-people.ts';
import { cellTypes, writeCells } from './parsing/cells.ts';

/** Input fields of an export beside the filters of its list. */
export const exportInput = {
  source: externalIdInput.source
    .meta({ description: 'Adds `externalId`: the id of each item in this source, null without one' })
    .optional(),
  ...paginationInput(LIST_BATCH_SIZE, `${LIST_BATCH_SIZE} by default`),
};

/** Output field of an export with a source. */
export const exportOutput = {
  externalId: textOutput(EXTERNAL_ID_LIMITS.maxLength, 'VEN-0042').nullable().optional(),
};

/** Adds the external id of a source to items. */
export const withExternalId = <Item extends { externalIds: readonly ExternalReference[] }>(
  items: readonly Item[],
  source: string | undefined,
): (Item & { externalId?: string | null })[] =>
  source === undefined
    ? [...items]
    : items.map((item) => ({
        ...item,
        externalId: item.externalIds.find((reference) => reference.source === source)?.externalId ?? null,
      }));

/** Columns of a file: the fields of the output schema, in its order. @param hasSource adds `externalId` */
function columnsOf(item: z.ZodObject, hasSource: boolean) {
  const { externalId, ...fields } = item.shape;
  return cellTypes({ ...fields, ...(hasSource && externalId !== undefined && { externalId }) });
}

/** The CSV file of a list of items. */
export const csvFileOf = (kind: ExportKind, procedure: string, item: z.ZodObject): CsvFile => ({
  procedure,
  name: `${kind}s.csv`,
  pageSize: LIST_BATCH_SIZE,
  // The list of requirements has no total.
  hasTotal: kind !== 'requirement',
  example: (value) => {
    const types = columnsOf(item, false);
    return writeCsvRecord([...types.keys()]) + writeCsvRecord(writeCells(types, Object(value)));
  },
});

/** Input fields of a CSV file beside the filters of its list. */
export const csvInput = {
  format: enumInput(['people'])
    .meta({
      description: 'Headings of the application, words and names in place of codes and ids',
      examples: ['people'],
    })
    .optional(),
  delimiter: enumInput(['comma', 'semicolon'])
    .meta({ description: 'Delimiter of cells, by default a comma', examples: ['semicolon'] })
    .optional(),
};

export interface CsvOptions {
  format?: 'people' | undefined;
  delimiter?: 'comma' | 'semicolon' | undefined;
}

/** Writes records as CSV in which no spreadsheet runs a formula. */
export function writeRecords(records: readonly (readonly string[])[], { delimiter }: CsvOptions): string {
  const character = delimiter === 'semicolon' ? ';' : ',';
  return records
    .map((cells) =>
      writeCsvRecord(
        cells.map((cell) => toFormulaText(cell, character)),
        character,
      ),
    )
    .join('');
}

/** A part of a CSV file. The parts of all pages, one after the other, are the file. */
export const CsvPage = z.object({
  content: z
    .string()
    .meta({ description: 'The next rows; those of the first page follow a byte order mark and a header' }),
  rows: integerOutput(0, LIST_BATCH_SIZE, 'Number of rows in `content`'),
  total: integerOutput(0, MAX_ID, 'Number of rows of the file on the first page, else the same as `rows`'),
  nextCursor: pageOutput(z.never()).shape.nextCursor,
});

interface ExportPage {
  items: readonly { uniqueId: string; externalId?: string | null }[];
  total: number;
  nextCursor: string | null;
}

/** Writes a page of an export as a part of the CSV file. */
export async function csvPage(
  session: Session,
  kind: ExportKind,
  item: z.ZodObject,
  { source, cursor, ...options }: CsvOptions & { source?: string | undefined; cursor?: string | undefined },
  { items, total, nextCursor }: ExportPage,
): Promise<z.infer<typeof CsvPage>> {
  const hasSource = source !== undefined;
  const types = columnsOf(item, hasSource);
  const isForPeople = options.format === 'people';
  const header = isForPeople
    ? [...headingsOf(kind), ...(hasSource ? [EXTERNAL_ID_HEADING] : []), ID_HEADING]
    : [...types.keys()];
  const written = isForPeople ? await writeItems(session, kind, items) : [];
  const records = items.map((one, index) => {
    // The schema decides the order of fields in JSON.
    if (!isForPeople) return writeCells(types, item.parse(one));
    const externalId = hasSource ? [one.externalId ?? ''] : [];
    return [...(written[index]?.values() ?? []), ...externalId, one.uniqueId];
  });
  const start = cursor === undefined ? BOM + writeRecords([header], options) : '';
  return { content: start + writeRecords(records, options), rows: items.length, total, nextCursor };
}
