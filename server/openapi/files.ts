import type { oas31 } from 'zod-openapi';
import { BOM } from '../../procedures/import/parsing/csv.ts';
import { EXTERNAL_ID_LIMITS } from '../../entities/external-id/external-id.ts';
import { SOURCE } from '../../procedures/schemas/external-id.ts';
import { MAX_IMPORT_BYTES } from '../../entities/import/import.ts';
import type { Route } from '../rest/routes.ts';
import { CSV_MEDIA_TYPE, NDJSON } from '../rest/stream.ts';
import { EXAMPLE_SCENARIO } from '../../procedures/document/examples.ts';

/** Rows of example files by kind of resource. */
const EXAMPLE_ROWS = {
  vendor: { externalId: 'VEN-0042', name: 'Cloud Ltd', status: 'active' },
  task: { externalId: 'CTL-7', title: 'Review access rights', priority: 2, status: 'todo' },
};

/** Items of example exports by operation. */
const EXAMPLE_ITEMS: Readonly<Record<string, unknown>> = {
  listVendors: EXAMPLE_SCENARIO['getVendor']?.response,
  listTasks: EXAMPLE_SCENARIO['getTask']?.response,
};

/** An export may be longer than a file that can be imported. */
const MAX_EXPORT_LENGTH = 2_147_483_647;
const fileSchema = (maxLength: number): oas31.SchemaObject => ({ type: 'string', maxLength });
const toLine = (item: unknown) => `${JSON.stringify(item)}\n`;
const toCsv = (row: object) => `${Object.keys(row).join(',')}\r\n${Object.values(row).join(',')}\r\n`;

/** Builds the request body of an operation that takes a file. */
export const fileBody = (kind: NonNullable<Route['fileUpload']>): oas31.RequestBodyObject => ({
  required: true,
  content: {
    [CSV_MEDIA_TYPE]: { schema: fileSchema(MAX_IMPORT_BYTES), example: toCsv(EXAMPLE_ROWS[kind]) },
    [NDJSON.contentType]: { schema: fileSchema(MAX_IMPORT_BYTES), example: toLine(EXAMPLE_ROWS[kind]) },
  },
});

/** Builds the files in which an operation also returns its whole list; none if it does not. */
export function exportContent({ exports }: Route, operationId: string): oas31.ContentObject {
  if (exports === undefined) return {};
  const item = EXAMPLE_ITEMS[operationId];
  const { start, writeRows } = exports.csv(false);
  return {
    [CSV_MEDIA_TYPE]: {
      schema: fileSchema(MAX_EXPORT_LENGTH),
      example: `${start.slice(BOM.length)}${writeRows([item])}`,
    },
    [NDJSON.contentType]: { example: toLine(item) },
  };
}

/** Parameters that only exports take. */
export const exportParameters = ({ exports }: Route): oas31.ParameterObject[] =>
  exports === undefined
    ? []
    : [
        {
          name: 'source',
          in: 'query',
          required: false,
          description:
            'Only with `Accept: text/csv` or `application/x-ndjson`: adds `externalId`, the id in this source',
          schema: { type: 'string', pattern: SOURCE.source, maxLength: EXTERNAL_ID_LIMITS.maxSourceLength },
          example: 'servicenow',
        },
      ];
