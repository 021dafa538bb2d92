import { z } from 'zod';
import { integerOutput, textOutput } from '../../entities/fields/schemas.ts';
import { MAX_ID } from '../../entities/ids.ts';
import { EXTERNAL_ID_LIMITS } from '../../entities/external-id/external-id.ts';
import type { ExternalReference } from '../../entities/external-id/external-id.ts';
import type { ImportKind } from '../../entities/import/import.ts';
import type { CsvFile } from '../core/declaration/meta.ts';
import { externalIdInput } from '../schemas/external-id.ts';
import { LIST_BATCH_SIZE, pageOutput, paginationInput } from '../schemas/pagination.ts';
import { BOM, writeCsvRecord } from './parsing/csv.ts';
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

/**
 * Writes items of a kind as CSV. The columns are the fields of the output schema, in its order.
 * @param hasSource adds the column `externalId`
 */
export function csvFile(kind: ImportKind, item: z.ZodObject, hasSource: boolean): CsvFile {
  const { externalId, ...fields } = item.shape;
  const types = cellTypes({ ...fields, ...(hasSource && externalId !== undefined && { externalId }) });
  return {
    name: `${kind}s.csv`,
    start: BOM + writeCsvRecord([...types.keys()]),
    writeRows: (items) => items.map((value) => writeCsvRecord(writeCells(types, Object(value)))).join(''),
  };
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
  items: readonly unknown[];
  total: number;
  nextCursor: string | null;
}

/** Writes a page of an export as a part of the CSV file. */
export const csvPage = (
  { start, writeRows }: CsvFile,
  { items, total, nextCursor }: ExportPage,
  isFirst: boolean,
): z.infer<typeof CsvPage> => ({
  content: (isFirst ? start : '') + writeRows(items),
  rows: items.length,
  total,
  nextCursor,
});
