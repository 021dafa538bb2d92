import type { oas31 } from 'zod-openapi';
import { withRequiredScopes } from '../../procedures/core/permissions.ts';
import type { StreamedPages } from '../../procedures/schemas/pagination.ts';
import type { Route } from '../rest/routes.ts';
import { NDJSON } from '../rest/stream.ts';
import { errorResponsesFor } from './errors.ts';
import { EXAMPLE_SCENARIO } from '../../procedures/document/examples.ts';
import type { OperationExample } from '../../procedures/document/scenario.ts';
import { exportContent, exportParameters, fileBody } from './files.ts';
import { NoExample, exampleFor } from './examples.ts';
import type { Schemas } from './examples.ts';
import { requestHeadersFor } from './request-headers.ts';
import { responseHeadersFor } from './response-headers.ts';
import { bodyName, withOptionalField } from './schemas.ts';

type Operation = oas31.OperationObject;
type Parameter = oas31.ParameterObject | oas31.ReferenceObject;

const JSON_MEDIA_TYPE = 'application/json';

/** Operation under construction, with the shared schemas. */
interface OperationContext {
  route: Route;
  schemas: Schemas;
  report: (problem: string) => void;
}

/** Builds an example. Reports a schema without one and returns undefined. */
function exampleOrReport(
  location: string,
  { schemas, report }: OperationContext,
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
export function completeOperation(operation: Operation, context: OperationContext): Partial<Operation> {
  const { route } = context;
  const { requestBody, responses = {}, operationId = '', description = '' } = operation;
  const parameters = [...(operation.parameters ?? []), ...moveQueryFields(requestBody, route)];
  const operationExample = EXAMPLE_SCENARIO[operationId];
  return {
    description: withRequiredScopes(description, route.scopes ?? []),
    parameters: [
      ...parameters.map((parameter) => completeParameter(parameter, context)),
      ...exportParameters(route),
      ...requestHeadersFor(route),
    ],
    ...(requestBody !== undefined &&
      (route.hasBody || route.fileUpload !== undefined) && {
        requestBody:
          route.fileUpload === undefined
            ? completeRequestBody(requestBody, operationId, context, operationExample)
            : fileBody(route.fileUpload),
      }),
    responses: {
      ...successResponses(context, operationId, responses['200'], operationExample),
      ...errorResponsesFor(route),
    },
    ...(route.deprecationHeaders !== undefined && { deprecated: true }),
  };
}

/** Moves the fields that REST reads from the query out of the body schema. @returns them as query parameters */
function moveQueryFields(body: Operation['requestBody'], { hasBody, queryFields }: Route): oas31.ParameterObject[] {
  const schema = body === undefined || '$ref' in body ? undefined : body.content[JSON_MEDIA_TYPE]?.schema;
  if (!hasBody || schema === undefined || '$ref' in schema) return [];
  const { properties = {} } = schema;
  return queryFields.map((name) => {
    const field = properties[name];
    if (field === undefined || typeof field === 'boolean') throw new Error(`${name}: missing in the body schema`);
    delete properties[name];
    return { name, in: 'query', required: false, schema: field };
  });
}

/** Adds an example, and the description that trpc-to-openapi drops if it follows `optional()`. */
function completeParameter(parameter: Parameter, context: OperationContext): Parameter {
  if ('$ref' in parameter || parameter.schema === undefined) return parameter;
  const { procedure, fieldMetadata: fields } = context.route;
  const { description, examples } = fields.get(parameter.name) ?? {};
  const declared: unknown = Array.isArray(examples) ? examples[0] : undefined;
  const example = declared ?? exampleOrReport(`${procedure}.${parameter.name}`, context, parameter.schema);
  return {
    ...parameter,
    ...(description !== undefined && { description }),
    ...(example !== undefined && { example }),
  };
}

/** Moves the body schema to a named component, from which client generators create a type. */
function completeRequestBody(
  body: NonNullable<Operation['requestBody']>,
  operationId: string,
  context: OperationContext,
  operationExample?: OperationExample,
): oas31.RequestBodyObject {
  const { route, schemas, report } = context;
  const schema = '$ref' in body ? undefined : body.content[JSON_MEDIA_TYPE]?.schema;
  if (schema === undefined) throw new Error(`${route.procedure}: missing JSON request schema`);
  const example = operationExample?.request ?? exampleOrReport(`${route.procedure} request`, context, schema);
  const name = bodyName(operationId);
  if (Object.hasOwn(schemas, name)) {
    report(`${route.procedure} request: another schema is named ${name}`);
    return { required: true, content: { [JSON_MEDIA_TYPE]: { schema, example } } };
  }
  schemas[name] = { ...schema };
  return {
    required: !route.isBodyOptional,
    content: { [JSON_MEDIA_TYPE]: { schema: { $ref: `#/components/schemas/${name}` }, example } },
  };
}

type OutputSchema = oas31.SchemaObject | oas31.ReferenceObject;

const DESCRIPTIONS = { 200: 'Success', 201: 'Created', 202: 'Accepted', 204: 'Success' } as const;

function successResponses(
  context: OperationContext,
  operationId: string,
  response: oas31.ResponseObject | oas31.ReferenceObject,
  operationExample?: OperationExample,
) {
  const { route } = context;
  const { successStatus: status, secretField } = route;
  const headers = responseHeadersFor({ status, route });
  if (route.noContent)
    return {
      [status]: { description: `${DESCRIPTIONS[status]}, without a body`, headers },
      ...representationResponse(context, operationExample),
    };
  const output = '$ref' in response ? undefined : response.content?.[JSON_MEDIA_TYPE]?.schema;
  const body = route.isUpsert ? propertyOf(output, 'item') : output;
  if (body === undefined) throw new Error(`${route.procedure}: missing JSON response schema`);
  const schema = secretField === undefined ? body : withOptionalField(body, secretField, context.schemas);
  const example = operationExample?.response ?? exampleOrReport(`${route.procedure} response`, context, schema);
  const examples =
    operationExample?.responseVariants === undefined
      ? { example }
      : { examples: namedExamples(operationExample.responseVariants) };
  const json = { [JSON_MEDIA_TYPE]: { schema, ...examples } };
  const content = {
    ...json,
    ...(route.ndjson && ndjsonContent(route.ndjson, example)),
    ...exportContent(route, operationId),
  };
  return {
    [status]: { description: DESCRIPTIONS[status], headers, content },
    ...(route.isUpsert && {
      200: { description: 'Updated, or unchanged', headers: responseHeadersFor({ status: 200, route }), content },
    }),
    ...(route.type === 'query' &&
      route.hasEntityTag && {
        304: {
          description: 'Not modified, without a body',
          headers: responseHeadersFor({ status: 304, route }),
        },
      }),
  };
}

/** Schema of a property. REST sends only the item of an upsert. */
function propertyOf(schema: OutputSchema | undefined, name: string): OutputSchema | undefined {
  const property = schema === undefined || '$ref' in schema ? undefined : schema.properties?.[name];
  return typeof property === 'boolean' ? undefined : property;
}

const namedExamples = (responses: Readonly<Record<string, unknown>>): oas31.ExamplesObject =>
  Object.fromEntries(Object.entries(responses).map(([name, value]) => [name, { value }]));

/** Builds the response to `Prefer: return=representation`. */
function representationResponse(context: OperationContext, operationExample?: OperationExample) {
  const { route } = context;
  if (route.representation === undefined) return {};
  const schema = { $ref: `#/components/schemas/${route.representation}` };
  const example = operationExample?.response ?? exampleOrReport(route.procedure, context, schema);
  const headers = responseHeadersFor({ status: 200, route });
  return {
    200: {
      description: 'Success, with the updated resource',
      headers,
      content: { [JSON_MEDIA_TYPE]: { schema, example } },
    },
  };
}

/** Builds the NDJSON example from a page. */
function ndjsonContent({ parsePage }: StreamedPages, page: unknown) {
  const { items, trailer } = parsePage(page);
  const lines = trailer === undefined ? items : [...items, trailer];
  return { [NDJSON.contentType]: { example: NDJSON.serialize(lines) } };
}
