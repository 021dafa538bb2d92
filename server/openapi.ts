import { generateOpenApiDocument } from 'trpc-to-openapi';
import type { OpenAPIObject, OpenApiRouter } from 'trpc-to-openapi';
import type { oas31 } from 'zod-openapi';
import { appRouter } from '../procedures/index.ts';
import { errorComponents, errorSchema, errorResponsesFor } from './document/errors.ts';
import { NoExample, exampleFor } from './document/examples.ts';
import type { Schemas } from './document/examples.ts';
import { responseHeaderComponents, responseHeadersFor } from './document/headers.ts';
import { INTRODUCTION, TAGS, TITLE } from './document/introduction.ts';
import { problemSchema } from './document/problem.ts';
import { requestHeaderComponents, requestHeadersFor } from './document/request-headers.ts';
import { bodyName, usedComponents, withNullableTypes } from './document/schemas.ts';
import { EXAMPLE_SCENARIO } from './document/story.ts';
import type { OperationExample } from './document/story.ts';
import { NDJSON } from './parts.ts';
import { compileRoutes } from './routes.ts';
import type { Route } from './routes.ts';

type Operation = oas31.OperationObject;
type Parameter = oas31.ParameterObject | oas31.ReferenceObject;

const JSON_MEDIA_TYPE = 'application/json';

let cachedText: string | undefined;

/** The document as it is served; made when it is first asked for. */
export const openApiText = (): string => (cachedText ??= JSON.stringify(openApiDocument()));

/**
 * OpenAPI 3.1 of the REST face: what trpc-to-openapi makes of the procedures, with the answers as they really are.
 * What answers carry stands in the tables of server/document (docs/decisions/0015-the-document-is-the-truth.md).
 *
 * @param report called with each mistake in a schema; the document is served all the same
 */
export function openApiDocument(
  router: OpenApiRouter = appRouter,
  report: (problem: string) => void = () => {},
): OpenAPIObject {
  const generated = generateOpenApiDocument(router, {
    title: TITLE,
    description: INTRODUCTION,
    version: '1.0.0',
    openApiVersion: '3.1.0',
    baseUrl: '/',
    contact: { name: 'Whoever runs this server' },
    license: { name: 'MIT', identifier: 'MIT' },
    securitySchemes: {
      ApiKey: {
        type: 'apiKey',
        in: 'header',
        name: 'X-API-Key',
        description: 'A key that an admin of the company made.',
      },
    },
  });
  const paths = withNullableTypes(generated.paths);
  const schemas: Schemas = withNullableTypes({
    ...Object.fromEntries(
      Object.entries(generated.components?.schemas ?? {}).filter(([name]) => !name.startsWith('error.')),
    ),
    Error: errorSchema,
    Problem: problemSchema,
  });
  for (const route of compileRoutes(router)) {
    const operation = paths?.[route.template]?.[pathItemMethod(route)];
    if (operation === undefined) throw new Error(`${route.procedure} is not in the document`);
    Object.assign(operation, completeOperation(operation, { route, schemas, report }));
  }
  return {
    ...generated,
    servers: [{ url: '/', description: 'This server', 'x-internal': false }],
    tags: TAGS,
    ...(paths !== undefined && { paths }),
    components: usedComponents(paths, {
      ...generated.components,
      headers: responseHeaderComponents(),
      parameters: requestHeaderComponents(),
      schemas,
      responses: errorComponents(),
    }),
  };
}

const METHODS = { GET: 'get', POST: 'post', PATCH: 'patch', DELETE: 'delete' } as const;

function pathItemMethod(route: Route) {
  const method = Object.entries(METHODS).find(([name]) => name === route.method)?.[1];
  if (method === undefined) throw new Error(`${route.procedure}: ${route.method} is not served`);
  return method;
}

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
function completeOperation(operation: Operation, place: Place): Partial<Operation> {
  const { route } = place;
  const { parameters = [], requestBody, responses = {}, operationId = '', description = '' } = operation;
  const operationExample = EXAMPLE_SCENARIO[operationId];
  return {
    description:
      route.permission?.includes(':') === true ? `${description} Needs the scope \`${route.permission}\`.` : description,
    parameters: [...parameters.map((parameter) => completeParameter(parameter, place)), ...requestHeadersFor(route)],
    ...(requestBody !== undefined && { requestBody: completeRequestBody(requestBody, operationId, place, operationExample) }),
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
  return { required: true, content: { [JSON_MEDIA_TYPE]: { schema: { $ref: `#/components/schemas/${name}` }, example } } };
}

function successResponses(place: Place, response: oas31.ResponseObject | oas31.ReferenceObject, operationExample?: OperationExample) {
  const { route } = place;
  const status = route.noContent ? 204 : route.location === undefined ? 200 : 201;
  const headers = responseHeadersFor({ status, route });
  if (route.noContent) return { 204: { description: 'Done; no body', headers }, ...representationResponse(place, operationExample) };
  const schema = '$ref' in response ? undefined : response.content?.[JSON_MEDIA_TYPE]?.schema;
  if (schema === undefined) throw new Error(`${route.procedure} answers no JSON`);
  const example = operationExample?.response ?? exampleAt(`${route.procedure} answers`, place, schema);
  const examples = operationExample?.responseVariants === undefined ? { example } : { examples: namedExamples(operationExample.responseVariants) };
  const json = { [JSON_MEDIA_TYPE]: { schema, ...examples } };
  const description = status === 201 ? 'Created' : 'Done';
  return {
    [status]: { description, headers, content: { ...json, ...(route.ndjson && ndjsonContent(example)) } },
    ...(route.type === 'query' &&
      route.hasEntityTag && {
        304: { description: 'It is as the client has it; no body', headers: responseHeadersFor({ status: 304, route }) },
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
