import type { oas31 } from 'zod-openapi';
import { withRequiredScopes } from '../../procedures/core/permissions.ts';
import { EXAMPLE_SCENARIO } from '../../procedures/document/examples.ts';
import type { OperationExample } from '../../procedures/document/scenario.ts';
import { EXAMPLE_IDS } from '../../entities/fields/schemas.ts';
import { csvInput } from '../../procedures/import/export.ts';
import { EXTERNAL_ID_LIMITS } from '../../entities/external-id/external-id.ts';
import { SOURCE } from '../../procedures/schemas/external-id.ts';
import type { FileBody } from '../../procedures/core/declaration/meta.ts';
import { hasEntityTag } from '../rest/route.ts';
import type { JsonBodyRoute, Route } from '../rest/route.ts';
import { CSV_MEDIA_TYPE } from '../rest/response/stream.ts';
import { getField } from '../rest/response/target.ts';
import { errorResponsesFor } from './errors.ts';
import { requestHeadersFor } from './request-headers.ts';
import { responseHeadersFor } from './response-headers.ts';
import { bodyName, withOptionalField } from './schemas.ts';

export type Schemas = oas31.SchemasObject;
type Schema = oas31.SchemaObject | oas31.ReferenceObject;
type Operation = oas31.OperationObject;
type Parameter = oas31.ParameterObject | oas31.ReferenceObject;

const JSON_MEDIA_TYPE = 'application/json';

/** Route of an operation under construction, with the shared schemas. */
interface RouteContext {
  route: Route;
  schemas: Schemas;
  report: (problem: string) => void;
}

interface OperationContext extends RouteContext {
  operationId: string;
  /** Declared examples; undefined for those that the schemas give. */
  declared: OperationExample | undefined;
}

/** Builds an example. Reports a schema without one and returns undefined. */
function exampleOrReport(
  location: string,
  { schemas, report }: RouteContext,
  schema: Parameters<typeof exampleFor>[0],
): unknown {
  try {
    return exampleFor(schema, schemas, location);
  } catch (error) {
    if (!(error instanceof NoExample)) throw error;
    report(`${error.message}: missing example`);
    return undefined;
  }
}

/** Completes an operation of trpc-to-openapi with headers, examples and error responses. */
export function completeOperation(operation: Operation, routeContext: RouteContext): Partial<Operation> {
  const { route } = routeContext;
  const { requestBody, responses = {}, operationId = '', description = '' } = operation;
  const parameters = [...(operation.parameters ?? []), ...moveQueryFields(requestBody, route)];
  // All fields may be in the path and the query.
  if (route.body === undefined) delete operation.requestBody;
  const context = { ...routeContext, operationId, declared: EXAMPLE_SCENARIO[operationId] };
  return {
    description: withRequiredScopes(description, route.scopes ?? []),
    parameters: [
      ...parameters.map((parameter) => completeParameter(parameter, context)),
      ...exportParameters(route),
      ...requestHeadersFor(route),
    ],
    ...completeRequestBody(requestBody, context),
    responses: { ...successResponses(responses['200'], context), ...errorResponsesFor(route) },
    ...(route.deprecationHeaders !== undefined && { deprecated: true }),
  };
}

/** Moves the fields that REST reads from the query out of the body schema. @returns them as query parameters */
function moveQueryFields(body: Operation['requestBody'], { queryFields }: Route): oas31.ParameterObject[] {
  const schema = body === undefined || '$ref' in body ? undefined : body.content[JSON_MEDIA_TYPE]?.schema;
  if (schema === undefined || '$ref' in schema) return [];
  const { properties = {}, required = [] } = schema;
  return queryFields.map((name) => {
    const field = properties[name];
    if (field === undefined || typeof field === 'boolean') throw new Error(`${name}: missing in the body schema`);
    delete properties[name];
    return { name, in: 'query', required: required.includes(name), schema: field };
  });
}

/** Largest number of values of a list of ids that fits into its text. */
const MAX_VALUES = 90;

/**
 * Adds an example, and the description that trpc-to-openapi drops if it follows `optional()`. Text with values separated by commas
 * becomes an array in the style that writes it so.
 */
function completeParameter(parameter: Parameter, context: RouteContext): Parameter {
  if ('$ref' in parameter || parameter.schema === undefined) return parameter;
  const { procedure, fieldMetadata: fields } = context.route;
  const { description, examples, listOf } = fields.get(parameter.name) ?? {};
  const declared: unknown = Array.isArray(examples) ? examples[0] : undefined;
  const example = declared ?? exampleOrReport(`${procedure}.${parameter.name}`, context, parameter.schema);
  const maxItems = listOf?.enum?.length ?? MAX_VALUES;
  return {
    ...parameter,
    ...(listOf && {
      style: 'form',
      explode: false,
      schema: { type: 'array', items: listOf, minItems: 1, maxItems },
    }),
    ...(description !== undefined && { description }),
    ...(example !== undefined && { example }),
  };
}

/** Builds the body by its kind. */
function completeRequestBody(body: Operation['requestBody'], context: OperationContext): Partial<Operation> {
  const { body: routeBody } = context.route;
  if (body === undefined || routeBody === undefined) return {};
  return { requestBody: routeBody.kind === 'file' ? fileBody(routeBody) : jsonBody(body, routeBody, context) };
}

/** Moves the body schema to a named component, from which client generators create a type. */
function jsonBody(
  body: NonNullable<Operation['requestBody']>,
  { isOptional }: JsonBodyRoute,
  context: OperationContext,
): oas31.RequestBodyObject {
  const { route, schemas, report, declared } = context;
  const schema = '$ref' in body ? undefined : body.content[JSON_MEDIA_TYPE]?.schema;
  if (schema === undefined) throw new Error(`${route.procedure}: missing JSON request schema`);
  const example = declared?.request ?? exampleOrReport(`${route.procedure} request`, context, schema);
  const name = bodyName(context.operationId);
  if (Object.hasOwn(schemas, name)) {
    report(`${route.procedure} request: another schema is named ${name}`);
    return { required: true, content: { [JSON_MEDIA_TYPE]: { schema, example } } };
  }
  schemas[name] = { ...schema, description: `Body of \`${context.operationId}\`` };
  return {
    required: !isOptional,
    content: { [JSON_MEDIA_TYPE]: { schema: { $ref: `#/components/schemas/${name}` }, example } },
  };
}

type OutputSchema = oas31.SchemaObject | oas31.ReferenceObject;

const DESCRIPTIONS = { 200: 'Success', 201: 'Created', 202: 'Accepted', 204: 'Success' } as const;

/** Builds the responses of a success by their kind. */
function successResponses(
  generated: oas31.ResponseObject | oas31.ReferenceObject,
  context: OperationContext,
): oas31.ResponsesObject {
  const { route, schemas } = context;
  const { response } = route;
  const output = '$ref' in generated ? undefined : generated.content?.[JSON_MEDIA_TYPE]?.schema;
  const responseOf = (status: number, description: string, content?: oas31.ContentObject) => ({
    [status]: { description, headers: responseHeadersFor({ status, route }), ...(content && { content }) },
  });
  if (response.kind === 'upsert') {
    const content = successContent(propertyOf(output, 'item'), context);
    return { ...responseOf(201, DESCRIPTIONS[201], content), ...responseOf(200, 'Updated, or unchanged', content) };
  }
  const notModified = route.type === 'query' && hasEntityTag(route) && responseOf(304, 'Not modified, without a body');
  if (response.kind === 'bytes') {
    const content = anyContent(output === undefined || '$ref' in output ? {} : output);
    return {
      ...responseOf(200, DESCRIPTIONS[200], content),
      ...responseOf(206, 'The range of `Range`', content),
      ...notModified,
    };
  }
  if (response.kind !== 'json') return responseOf(200, DESCRIPTIONS[200], successContent(output, context));
  const { successStatus, secretField, noContent, representation } = response;
  const description = DESCRIPTIONS[successStatus];
  if (noContent)
    return {
      ...responseOf(successStatus, `${description}, without a body`),
      ...(representation !== undefined &&
        responseOf(200, 'Success, with the updated resource', representationContent(representation, context))),
    };
  const schema = output && secretField !== undefined ? withOptionalField(output, secretField, schemas) : output;
  return {
    ...responseOf(successStatus, description, successContent(schema, context)),
    ...notModified,
  };
}

/** Builds the content of a response with a body, and the streams that `Accept` selects in its place. */
function successContent(schema: OutputSchema | undefined, context: OperationContext): oas31.ContentObject {
  const { route, declared, operationId } = context;
  if (schema === undefined) throw new Error(`${route.procedure}: missing JSON response schema`);
  const example = declared?.response ?? exampleOrReport(`${route.procedure} response`, context, schema);
  const variants = declared?.responseVariants;
  const examples = variants === undefined ? { example } : { examples: namedExamples(variants) };
  return { [JSON_MEDIA_TYPE]: { schema, ...examples }, ...streamContent(route, example, operationId) };
}

/** Schema of a property. REST sends only the item of an upsert. */
function propertyOf(schema: OutputSchema | undefined, name: string): OutputSchema | undefined {
  const property = schema === undefined || '$ref' in schema ? undefined : schema.properties?.[name];
  return typeof property === 'boolean' ? undefined : property;
}

const namedExamples = (responses: Readonly<Record<string, unknown>>): oas31.ExamplesObject =>
  Object.fromEntries(Object.entries(responses).map(([name, value]) => [name, { value }]));

/** Builds the content of the response to `Prefer: return=representation`. */
function representationContent(representation: string, context: OperationContext): oas31.ContentObject {
  const schema = { $ref: `#/components/schemas/${representation}` };
  const example = context.declared?.response ?? exampleOrReport(context.route.procedure, context, schema);
  return { [JSON_MEDIA_TYPE]: { schema, example } };
}

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
const anyContent = (
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
const fileBody = ({ formats, maxBytes }: FileBody): oas31.RequestBodyObject => ({
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
function streamContent({ streams }: Route, page: unknown, operationId: string): oas31.ContentObject {
  const content = [...(streams?.routes ?? [])].map(([mediaType, { response }]) => {
    const { pages, format, example: write = (item) => format.serialize([item]) } = response;
    if (mediaType !== CSV_MEDIA_TYPE && streams?.isExport !== true) {
      const { items, trailer } = pages.parsePage(page);
      return [mediaType, { example: format.serialize(trailer === undefined ? items : [...items, trailer]) }];
    }
    const example = write(exampleItem(operationId, page));
    return [mediaType, { ...(mediaType === CSV_MEDIA_TYPE && { schema: fileSchema(MAX_EXPORT_LENGTH) }), example }];
  });
  return Object.fromEntries(content);
}

/** First item of the last example of a list, which has whole items. */
function exampleItem(operationId: string, response: unknown): unknown {
  const page = Object.values(EXAMPLE_SCENARIO[operationId]?.responseVariants ?? {}).at(-1) ?? response;
  const [item]: unknown[] = Object.values(getField(page, 'items') ?? page ?? {});
  return item;
}

/** Parameters that only files take. */
const exportParameters = ({ streams }: Route): oas31.ParameterObject[] => [
  ...(streams?.isExport === true
    ? [
        {
          name: 'source',
          in: 'query' as const,
          required: false,
          description:
            'Only with `Accept: text/csv` or `application/x-ndjson`: adds `externalId`, the id in this source',
          schema: { type: 'string' as const, pattern: SOURCE.source, maxLength: EXTERNAL_ID_LIMITS.maxSourceLength },
          example: 'servicenow',
        },
      ]
    : []),
  ...(streams?.routes.has(CSV_MEDIA_TYPE) === true
    ? Object.entries(csvInput).map(([name, schema]) => ({
        name,
        in: 'query' as const,
        required: false,
        description: `Only with \`Accept: text/csv\`: ${schema.description}`,
        schema: { type: 'string' as const, enum: schema.unwrap().options },
        example: schema.unwrap().options.at(-1),
      }))
    : []),
];

/** A schema without an example. Add `examples` to the `meta` of the field. */
class NoExample extends Error {}

/**
 * Builds a valid value for a schema from the examples of its fields, defaults and enums.
 * @param location path of the schema, for the error
 * @throws NoExample for text without an example, a default or an enum
 */
function exampleFor(schema: Schema, schemas: Schemas, location: string): unknown {
  if ('$ref' in schema) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return exampleFor(schemas[name] ?? {}, schemas, name);
  }
  const candidate = [...(schema.examples ?? []), schema.default, schema.enum?.[0]].find((value) => value !== undefined);
  // A request with the example of a member would be 422, because no company has that member.
  if (candidate === EXAMPLE_IDS.user && Array.isArray(schema.type) && schema.type.includes('null')) return null;
  if (candidate !== undefined) return candidate;
  const [first] = schema.anyOf ?? [];
  if (first !== undefined) return exampleFor(first, schemas, location);
  if (schema.properties !== undefined) {
    const fields = Object.entries(schema.properties);
    return Object.fromEntries(fields.map(([name, field]) => [name, exampleFor(field, schemas, `${location}.${name}`)]));
  }
  if (schema.items !== undefined) return [exampleFor(schema.items, schemas, location)];
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'integer') return Math.max(schema.minimum ?? 1, 1);
  if (type === 'boolean') return true;
  throw new NoExample(location);
}
