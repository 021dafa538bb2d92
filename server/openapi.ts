import { generateOpenApiDocument } from 'trpc-to-openapi';
import type { OpenAPIObject, OpenApiRouter } from 'trpc-to-openapi';
import type { oas31 } from 'zod-openapi';
import { appRouter } from '../procedures/index.ts';
import { errorComponents, errorSchema, errorsOf } from './document/errors.ts';
import { exampleOf } from './document/examples.ts';
import type { Schemas } from './document/examples.ts';
import { headerComponents, headersOn } from './document/headers.ts';
import { INTRODUCTION, TAGS, TITLE } from './document/introduction.ts';
import { problemSchema } from './document/problem.ts';
import { leftOut, requestHeaderComponents, requestHeadersOf } from './document/request-headers.ts';
import { STORY } from './document/story.ts';
import type { Shown } from './document/story.ts';
import { LINES } from './parts.ts';
import { routesOf } from './routes.ts';
import type { Route } from './routes.ts';

type Operation = oas31.OperationObject;
type Parameter = oas31.ParameterObject | oas31.ReferenceObject;

const JSON_TYPE = 'application/json';

let text: string | undefined;

/** The document as it is served; made when it is first asked for. */
export const openApiText = (): string => (text ??= JSON.stringify(openApiDocument()));

/**
 * OpenAPI 3.1 of the REST face: what trpc-to-openapi makes of the procedures, with the answers as they really are.
 * What answers carry stands in the tables of server/document (docs/decisions/0015-the-document-is-the-truth.md).
 */
export function openApiDocument(router: OpenApiRouter = appRouter): OpenAPIObject {
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
  const schemas: Schemas = {
    ...Object.fromEntries(
      Object.entries(generated.components?.schemas ?? {}).filter(([name]) => !name.startsWith('error.')),
    ),
    Error: errorSchema,
    Problem: problemSchema,
  };
  for (const route of routesOf(router)) {
    const operation = generated.paths?.[route.template]?.[verbOf(route)];
    if (operation === undefined) throw new Error(`${route.procedure} is not in the document`);
    Object.assign(operation, completed(operation, route, schemas));
  }
  return {
    ...generated,
    servers: [{ url: '/', description: 'This server', 'x-internal': false }],
    tags: TAGS,
    components: {
      ...generated.components,
      headers: headerComponents(),
      parameters: requestHeaderComponents(),
      schemas,
      responses: errorComponents(),
    },
  };
}

const VERBS = { GET: 'get', POST: 'post', PATCH: 'patch', DELETE: 'delete' } as const;

function verbOf(route: Route) {
  const verb = Object.entries(VERBS).find(([name]) => name === route.method)?.[1];
  if (verb === undefined) throw new Error(`${route.procedure}: ${route.method} is not served`);
  return verb;
}

/** What the library leaves open of an operation. */
function completed(operation: Operation, route: Route, schemas: Schemas): Partial<Operation> {
  const { parameters = [], requestBody, responses = {}, operationId = '', description = '' } = operation;
  const shown = STORY[operationId];
  return {
    description:
      route.right?.includes(':') === true ? `${description} Needs the scope \`${route.right}\`.` : description,
    parameters: [...parameters.map((given) => parameterOf(given, route)), ...requestHeadersOf(route)],
    ...(requestBody !== undefined && { requestBody: requestOf(requestBody, route, schemas, shown) }),
    responses: { ...successOf(route, responses['200'], schemas, shown), ...errorsOf(route) },
    ...(route.notices !== undefined && { deprecated: true }),
  };
}

/** With the words that the library drops where they stand behind `optional()`, and an example. */
function parameterOf(given: Parameter, route: Route): Parameter {
  if ('$ref' in given || given.schema === undefined) return given;
  const { description, examples } = route.fields.get(given.name) ?? {};
  const example: unknown = Array.isArray(examples) ? examples[0] : exampleOf(given.schema, {}, given.name);
  return {
    ...given,
    ...(description !== undefined && { description }),
    ...(given.required === true ? { example } : { examples: leftOut(example) }),
  };
}

function requestOf(body: NonNullable<Operation['requestBody']>, route: Route, schemas: Schemas, shown?: Shown) {
  const schema = '$ref' in body ? undefined : body.content[JSON_TYPE]?.schema;
  if (schema === undefined) throw new Error(`${route.procedure} takes no JSON`);
  const example = shown?.takes ?? exampleOf(schema, schemas, `${route.procedure} takes`);
  return { required: true, content: { [JSON_TYPE]: { schema, example } } };
}

function successOf(route: Route, given: oas31.ResponseObject | oas31.ReferenceObject, schemas: Schemas, shown?: Shown) {
  const status = route.isSilent ? 204 : route.location === undefined ? 200 : 201;
  const headers = headersOn({ status, route });
  if (route.isSilent) return { 204: { description: 'Done; no body', headers }, ...shownBy(route, schemas, shown) };
  const schema = '$ref' in given ? undefined : given.content?.[JSON_TYPE]?.schema;
  if (schema === undefined) throw new Error(`${route.procedure} answers no JSON`);
  const example = shown?.answers ?? exampleOf(schema, schemas, `${route.procedure} answers`);
  const examples = shown?.answersBy === undefined ? { example } : { examples: named(shown.answersBy) };
  const json = { [JSON_TYPE]: { schema, ...examples } };
  const description = status === 201 ? 'Created' : 'Done';
  return {
    [status]: { description, headers, content: { ...json, ...(route.everyPage && linesOf(example)) } },
    ...(route.type === 'query' &&
      route.isTagged && {
        304: { description: 'It is as the client has it; no body', headers: headersOn({ status: 304, route }) },
      }),
  };
}

const named = (answers: Readonly<Record<string, unknown>>): oas31.ExamplesObject =>
  Object.fromEntries(Object.entries(answers).map(([name, value]) => [name, { value }]));

/** What is answered to who prefers to see what an operation has done. */
function shownBy(route: Route, schemas: Schemas, shown?: Shown) {
  if (route.shows === undefined) return {};
  const schema = { $ref: `#/components/schemas/${route.shows}` };
  const example = shown?.answers ?? exampleOf(schema, schemas, route.procedure);
  const headers = headersOn({ status: 200, route });
  return { 200: { description: 'Done, and shown', headers, content: { [JSON_TYPE]: { schema, example } } } };
}

/** All items of a page as lines. */
function linesOf(page: unknown) {
  const items: unknown = typeof page === 'object' && page !== null ? Reflect.get(page, 'items') : undefined;
  const example = Array.isArray(items) ? items.map((item) => `${JSON.stringify(item)}\n`).join('') : '';
  return { [LINES.type]: { example } };
}
