import type { oas31 } from 'zod-openapi';
import { NDJSON } from '../rest/stream.ts';
import type { Route } from '../rest/routes.ts';
import { errorResponsesFor } from './errors.ts';
import { EXAMPLE_SCENARIO } from './example-scenario.ts';
import type { OperationExample } from './example-scenario.ts';
import { NoExample, exampleFor } from './examples.ts';
import type { Schemas } from './examples.ts';
import { requestHeadersFor } from './request-headers.ts';
import { responseHeadersFor } from './response-headers.ts';
import { bodyName } from './schemas.ts';

type Operation = oas31.OperationObject;
type Parameter = oas31.ParameterObject | oas31.ReferenceObject;

const JSON_MEDIA_TYPE = 'application/json';

/** Where a part of the document belongs. */
interface Place {
  route: Route;
  schemas: Schemas;
  report: (problem: string) => void;
}

/** An example, or undefined for a schema that has none. */
function exampleAt(of: string, { schemas, report }: Place, schema: Parameters<typeof exampleFor>[0]): unknown {
  try {
    return exampleFor(schema, schemas, of);
  } catch (error) {
    if (!(error instanceof NoExample)) throw error;
    report(`${error.message}: has no example`);
    return undefined;
  }
}

/** What the library leaves open of an operation. */
export function completeOperation(operation: Operation, place: Place): Partial<Operation> {
  const { route } = place;
  const { parameters = [], requestBody, responses = {}, operationId = '', description = '' } = operation;
  const operationExample = EXAMPLE_SCENARIO[operationId];
  return {
    description:
      route.permission?.includes(':') === true
        ? `${description} Needs the scope \`${route.permission}\`.`
        : description,
    parameters: [...parameters.map((parameter) => completeParameter(parameter, place)), ...requestHeadersFor(route)],
    ...(requestBody !== undefined && {
      requestBody: completeRequestBody(requestBody, operationId, place, operationExample),
    }),
    responses: { ...successResponses(place, responses['200'], operationExample), ...errorResponsesFor(route) },
    ...(route.deprecationHeaders !== undefined && { deprecated: true }),
  };
}

/** With the words that the library drops where they stand behind `optional()`, and an example. */
function completeParameter(parameter: Parameter, place: Place): Parameter {
  if ('$ref' in parameter || parameter.schema === undefined) return parameter;
  const { procedure, fieldMetadata: fields } = place.route;
  const { description, examples } = fields.get(parameter.name) ?? {};
  const known: unknown = Array.isArray(examples) ? examples[0] : undefined;
  const example = known ?? exampleAt(`${procedure}.${parameter.name}`, place, parameter.schema);
  return {
    ...parameter,
    ...(description !== undefined && { description }),
    ...(example !== undefined && { example }),
  };
}

/** The body by a named schema: generators of clients make a type of it. */
function completeRequestBody(
  body: NonNullable<Operation['requestBody']>,
  operationId: string,
  place: Place,
  operationExample?: OperationExample,
): oas31.RequestBodyObject {
  const { route, schemas, report } = place;
  const schema = '$ref' in body ? undefined : body.content[JSON_MEDIA_TYPE]?.schema;
  if (schema === undefined) throw new Error(`${route.procedure} takes no JSON`);
  const example = operationExample?.request ?? exampleAt(`${route.procedure} takes`, place, schema);
  const name = bodyName(operationId);
  if (Object.hasOwn(schemas, name)) {
    report(`${route.procedure} takes: another schema is named ${name}`);
    return { required: true, content: { [JSON_MEDIA_TYPE]: { schema, example } } };
  }
  schemas[name] = { ...schema };
  return {
    required: true,
    content: { [JSON_MEDIA_TYPE]: { schema: { $ref: `#/components/schemas/${name}` }, example } },
  };
}

function successResponses(
  place: Place,
  response: oas31.ResponseObject | oas31.ReferenceObject,
  operationExample?: OperationExample,
) {
  const { route } = place;
  const status = route.noContent ? 204 : route.location === undefined ? 200 : 201;
  const headers = responseHeadersFor({ status, route });
  if (route.noContent)
    return { 204: { description: 'Done; no body', headers }, ...representationResponse(place, operationExample) };
  const schema = '$ref' in response ? undefined : response.content?.[JSON_MEDIA_TYPE]?.schema;
  if (schema === undefined) throw new Error(`${route.procedure} answers no JSON`);
  const example = operationExample?.response ?? exampleAt(`${route.procedure} answers`, place, schema);
  const examples =
    operationExample?.responseVariants === undefined
      ? { example }
      : { examples: namedExamples(operationExample.responseVariants) };
  const json = { [JSON_MEDIA_TYPE]: { schema, ...examples } };
  const description = status === 201 ? 'Created' : 'Done';
  return {
    [status]: { description, headers, content: { ...json, ...(route.ndjson && ndjsonContent(example)) } },
    ...(route.type === 'query' &&
      route.hasEntityTag && {
        304: {
          description: 'It is as the client has it; no body',
          headers: responseHeadersFor({ status: 304, route }),
        },
      }),
  };
}

const namedExamples = (responses: Readonly<Record<string, unknown>>): oas31.ExamplesObject =>
  Object.fromEntries(Object.entries(responses).map(([name, value]) => [name, { value }]));

/** What is answered to who prefers to see what an operation has done. */
function representationResponse(place: Place, operationExample?: OperationExample) {
  const { route } = place;
  if (route.representation === undefined) return {};
  const schema = { $ref: `#/components/schemas/${route.representation}` };
  const example = operationExample?.response ?? exampleAt(route.procedure, place, schema);
  const headers = responseHeadersFor({ status: 200, route });
  return { 200: { description: 'Done, and shown', headers, content: { [JSON_MEDIA_TYPE]: { schema, example } } } };
}

/** All items of a page as lines. */
function ndjsonContent(page: unknown) {
  const items: unknown = typeof page === 'object' && page !== null ? Reflect.get(page, 'items') : undefined;
  const example = Array.isArray(items) ? items.map((item) => `${JSON.stringify(item)}\n`).join('') : '';
  return { [NDJSON.contentType]: { example } };
}
