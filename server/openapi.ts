import { generateOpenApiDocument } from 'trpc-to-openapi';
import type { OpenAPIObject, OpenApiRouter } from 'trpc-to-openapi';
import type { oas31 } from 'zod-openapi';
import { appRouter } from '../procedures/index.ts';
import { errorComponents, errorSchema, errorsOf } from './document/errors.ts';
import { NoExample, exampleOf } from './document/examples.ts';
import type { Schemas } from './document/examples.ts';
import { headerComponents, headersOn } from './document/headers.ts';
import { INTRODUCTION, TAGS, TITLE } from './document/introduction.ts';
import { problemSchema } from './document/problem.ts';
import { requestHeaderComponents, requestHeadersOf } from './document/request-headers.ts';
import { bodyName, usedComponents, withNullableTypes } from './document/schemas.ts';
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
  for (const route of routesOf(router)) {
    const operation = paths?.[route.template]?.[verbOf(route)];
    if (operation === undefined) throw new Error(`${route.procedure} is not in the document`);
    Object.assign(operation, completed(operation, { route, schemas, report }));
  }
  return {
    ...generated,
    servers: [{ url: '/', description: 'This server', 'x-internal': false }],
    tags: TAGS,
    ...(paths !== undefined && { paths }),
    components: usedComponents(paths, {
      ...generated.components,
      headers: headerComponents(),
      parameters: requestHeaderComponents(),
      schemas,
      responses: errorComponents(),
    }),
  };
}

const VERBS = { GET: 'get', POST: 'post', PATCH: 'patch', DELETE: 'delete' } as const;

function verbOf(route: Route) {
  const verb = Object.entries(VERBS).find(([name]) => name === route.method)?.[1];
  if (verb === undefined) throw new Error(`${route.procedure}: ${route.method} is not served`);
  return verb;
}

/** Where a part of the document belongs. */
interface Place {
  route: Route;
  schemas: Schemas;
  report: (problem: string) => void;
}

/** An example, or undefined for a schema that has none. */
function exampleAt(of: string, { schemas, report }: Place, schema: Parameters<typeof exampleOf>[0]): unknown {
  try {
    return exampleOf(schema, schemas, of);
  } catch (error) {
    if (!(error instanceof NoExample)) throw error;
    report(`${error.message}: has no example`);
    return undefined;
  }
}

/** What the library leaves open of an operation. */
function completed(operation: Operation, place: Place): Partial<Operation> {
  const { route } = place;
  const { parameters = [], requestBody, responses = {}, operationId = '', description = '' } = operation;
  const shown = STORY[operationId];
  return {
    description:
      route.right?.includes(':') === true ? `${description} Needs the scope \`${route.right}\`.` : description,
    parameters: [...parameters.map((given) => parameterOf(given, place)), ...requestHeadersOf(route)],
    ...(requestBody !== undefined && { requestBody: requestOf(requestBody, operationId, place, shown) }),
    responses: { ...successOf(place, responses['200'], shown), ...errorsOf(route) },
    ...(route.notices !== undefined && { deprecated: true }),
  };
}

/** With the words that the library drops where they stand behind `optional()`, and an example. */
function parameterOf(given: Parameter, place: Place): Parameter {
  if ('$ref' in given || given.schema === undefined) return given;
  const { procedure, fields } = place.route;
  const { description, examples } = fields.get(given.name) ?? {};
  const known: unknown = Array.isArray(examples) ? examples[0] : undefined;
  const example = known ?? exampleAt(`${procedure}.${given.name}`, place, given.schema);
  return {
    ...given,
    ...(description !== undefined && { description }),
    ...(example !== undefined && { example }),
  };
}

/** The body by a named schema: generators of clients make a type of it. */
function requestOf(
  body: NonNullable<Operation['requestBody']>,
  operationId: string,
  place: Place,
  shown?: Shown,
): oas31.RequestBodyObject {
  const { route, schemas, report } = place;
  const schema = '$ref' in body ? undefined : body.content[JSON_TYPE]?.schema;
  if (schema === undefined) throw new Error(`${route.procedure} takes no JSON`);
  const example = shown?.takes ?? exampleAt(`${route.procedure} takes`, place, schema);
  const name = bodyName(operationId);
  if (Object.hasOwn(schemas, name)) {
    report(`${route.procedure} takes: another schema is named ${name}`);
    return { required: true, content: { [JSON_TYPE]: { schema, example } } };
  }
  schemas[name] = { ...schema };
  return { required: true, content: { [JSON_TYPE]: { schema: { $ref: `#/components/schemas/${name}` }, example } } };
}

function successOf(place: Place, given: oas31.ResponseObject | oas31.ReferenceObject, shown?: Shown) {
  const { route } = place;
  const status = route.isSilent ? 204 : route.location === undefined ? 200 : 201;
  const headers = headersOn({ status, route });
  if (route.isSilent) return { 204: { description: 'Done; no body', headers }, ...shownBy(place, shown) };
  const schema = '$ref' in given ? undefined : given.content?.[JSON_TYPE]?.schema;
  if (schema === undefined) throw new Error(`${route.procedure} answers no JSON`);
  const example = shown?.answers ?? exampleAt(`${route.procedure} answers`, place, schema);
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
function shownBy(place: Place, shown?: Shown) {
  const { route } = place;
  if (route.shows === undefined) return {};
  const schema = { $ref: `#/components/schemas/${route.shows}` };
  const example = shown?.answers ?? exampleAt(route.procedure, place, schema);
  const headers = headersOn({ status: 200, route });
  return { 200: { description: 'Done, and shown', headers, content: { [JSON_TYPE]: { schema, example } } } };
}

/** All items of a page as lines. */
function linesOf(page: unknown) {
  const items: unknown = typeof page === 'object' && page !== null ? Reflect.get(page, 'items') : undefined;
  const example = Array.isArray(items) ? items.map((item) => `${JSON.stringify(item)}\n`).join('') : '';
  return { [LINES.type]: { example } };
}
