import type { oas31 } from 'zod-openapi';
import { BOM } from '../../procedures/import/parsing/csv.ts';
import { EXTERNAL_ID_LIMITS } from '../../entities/external-id/external-id.ts';
import { SOURCE } from '../../procedures/schemas/external-id.ts';
import type { FileBody } from '../../procedures/core/declaration/meta.ts';
import { CSV_MEDIA_TYPE } from '../rest/response/stream.ts';
import { getField } from '../rest/response/target.ts';
import type { Route } from '../rest/route.ts';
import { EXAMPLE_SCENARIO } from '../../procedures/document/examples.ts';

/** An export may be longer than a file that can be imported. */
const MAX_EXPORT_LENGTH = 2_147_483_647;
const fileSchema = (maxLength: number): oas31.SchemaObject => ({ type: 'string', maxLength });

/** Example of a file of any media type. */
const EXAMPLE_FILE = 'reviewed,by\r\n2026-06-30,Ann\r\n';

/**
 * Content of any media type. Generated clients have the schema of the first type, and send it unless they are told another one. Validators
 * take every type for the second.
 * @param anyType schema of the second type; by default of no text, because validators parse JSON in a response
 */
export const anyContent = (
  schema: oas31.SchemaObject,
  anyType: oas31.SchemaObject = { description: 'The bytes of the file' },
): oas31.ContentObject => ({
  'application/octet-stream': { schema, example: EXAMPLE_FILE },
  '*/*': { schema: anyType, example: EXAMPLE_FILE },
});

/** Has no `maxLength`, which counts characters: generators of clients apply it to the `File`, which has none. */
const uploadSchema = (maxBytes: number): oas31.SchemaObject => ({
  type: 'string',
  format: 'binary',
  description: `The bytes of the file, at most ${maxBytes.toLocaleString('en')}, with any \`Content-Type\``,
});

/** Builds the request body of an operation that takes a file. */
export const fileBody = ({ formats, maxBytes }: FileBody): oas31.RequestBodyObject => ({
  required: true,
  content:
    formats === 'any'
      ? anyContent(uploadSchema(maxBytes()), uploadSchema(maxBytes()))
      : Object.fromEntries(
          Object.entries(formats).map(([mediaType, { example }]) => [
            mediaType,
            { schema: fileSchema(maxBytes()), example },
          ]),
        ),
});

/**
 * Builds the streams that an operation also sends; none if it does not.
 * @param page example of a JSON response
 */
export function streamContent({ streams }: Route, page: unknown, operationId: string): oas31.ContentObject {
  const content = [...(streams?.routes ?? [])].map(([mediaType, { response }]) => {
    const { prefix, serialize } = response.format('');
    if (streams?.isExport !== true) {
      const { items, trailer } = response.pages.parsePage(page);
      return [mediaType, { example: serialize(trailer === undefined ? items : [...items, trailer]) }];
    }
    const example = `${prefix.slice(BOM.length)}${serialize([exampleItem(operationId)])}`;
    return [mediaType, { ...(mediaType === CSV_MEDIA_TYPE && { schema: fileSchema(MAX_EXPORT_LENGTH) }), example }];
  });
  return Object.fromEntries(content);
}

/** First item of the last example of a list, which has whole items. */
function exampleItem(operationId: string): unknown {
  const page = Object.values(EXAMPLE_SCENARIO[operationId]?.responseVariants ?? {}).at(-1);
  const [item]: unknown[] = Object.values(getField(page, 'items') ?? page ?? {});
  return item;
}

/** Parameters that only exports take. */
export const exportParameters = ({ streams }: Route): oas31.ParameterObject[] =>
  streams?.isExport !== true
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
