import { generateOpenApiDocument } from 'trpc-to-openapi';
import type { OpenAPIObject, OpenApiRouter } from 'trpc-to-openapi';
import type { oas31 } from 'zod-openapi';
import { restRouter } from '../../procedures/core/declaration/rest-router.ts';
import { INTRODUCTION, TITLE } from '../../procedures/document/introduction.ts';
import { TAGS, serviceRouter } from '../../procedures/index.ts';
import { eventSchemaName, webhookSchemas } from '../../procedures/webhook/event-schemas.ts';
import { isFullObject } from '../../entities/audit/changes.ts';
import { CHECKPOINT_TYPE, TEST_TYPE } from '../../entities/webhook/delivery.ts';
import { EVENT_TYPES } from '../../entities/webhook/event-type.ts';
import { EXAMPLE_WEBHOOKS } from '../../procedures/document/examples.ts';
import { compileRoutes } from '../rest/routes.ts';
import type { Route } from '../rest/route.ts';
import { errorComponents, errorSchema, problemSchema } from './errors.ts';
import { completeOperation } from './operation.ts';
import type { Schemas } from './operation.ts';
import { requestHeaderComponents } from './request-headers.ts';
import { responseHeaderComponents } from './response-headers.ts';
import type { DocumentedHeader } from './response-headers.ts';
import { textSchema, usedComponents, withNullableTypes, withTextPatterns } from './schemas.ts';

/** Returns the document as JSON text. @param url public origin of the server, because few clients resolve a relative one */
export const openApiText = (url = '/'): string =>
  JSON.stringify({ ...openApiDocument(), servers: [{ url, description: 'This server', 'x-internal': false }] });

/**
 * Builds the OpenAPI 3.1 document of the REST API. trpc-to-openapi derives paths and schemas from the procedures. This
 * folder adds errors, headers, examples and webhooks, so that the document describes the actual responses (decision 0015).
 *
 * @param report receives each error in a schema; the document is built nevertheless
 */
export function openApiDocument(
  router: OpenApiRouter = serviceRouter,
  report: (problem: string) => void = () => {},
): OpenAPIObject {
  const generated = generateOpenApiDocument(restRouter(router), {
    title: TITLE,
    description: INTRODUCTION,
    version: '1.0.0',
    openApiVersion: '3.1.0',
    baseUrl: '/',
    contact: { name: 'Operator of this server' },
    license: { name: 'MIT', identifier: 'MIT' },
    securitySchemes: {
      ApiKey: {
        type: 'apiKey',
        in: 'header',
        name: 'X-API-Key',
        description: 'API key, created by an admin of the company. It looks like `svc_sk_live_…`.',
      },
      Bearer: {
        type: 'http',
        scheme: 'bearer',
        description: 'The API key as `Authorization: Bearer svc_sk_live_…`, for clients that send no other header.',
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
    if (operation === undefined) throw new Error(`${route.procedure}: missing in the generated document`);
    Object.assign(operation, completeOperation(operation, { route, schemas, report }));
  }
  const webhooks = webhookOperations();
  const ordered = paths && inReadingOrder(paths);
  return withTextPatterns({
    ...generated,
    tags: [...TAGS, WEBHOOK_EVENTS_TAG],
    ...(ordered !== undefined && { paths: ordered }),
    webhooks,
    components: usedComponents(
      { paths, webhooks },
      {
        ...generated.components,
        headers: responseHeaderComponents(),
        parameters: { ...requestHeaderComponents(), ...webhookHeaderComponents() },
        schemas: { ...schemas, ...webhookSchemas(schemas) },
        responses: errorComponents(),
      },
    ),
  });
}

const METHODS = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' } as const;

function pathItemMethod(route: Route) {
  const method = Object.entries(METHODS).find(([name]) => name === route.method)?.[1];
  if (method === undefined) throw new Error(`${route.procedure}: unsupported method ${route.method}`);
  return method;
}

/** Orders paths by the groups of their operations. In each group, what creates comes first, and what deletes last. */
const inReadingOrder = (paths: oas31.PathsObject): oas31.PathsObject =>
  Object.fromEntries(Object.entries(paths).toSorted((a, b) => readingPosition(a) - readingPosition(b)));

function readingPosition([path, { get, post, put, patch, delete: remove }]: [string, oas31.PathItemObject]): number {
  const operation = get ?? post ?? put ?? patch ?? remove;
  const group = TAGS.findIndex(({ name }) => operation?.tags?.[0] === name);
  const place = path.endsWith('/new') ? 0 : operation === remove ? 2 : 1;
  return group * 3 + place;
}

/** Group of the requests that the server sends. */
const WEBHOOK_EVENTS_TAG = {
  name: 'Webhook events',
  description: 'Requests that the server sends to your webhook endpoints, one for each event.',
};

const HEADERS: Readonly<Record<string, DocumentedHeader>> = {
  'webhook-id': {
    description: 'Id of the event, the same on each attempt and replay. Skip an id that you have processed.',
    schema: { type: 'string', format: 'uuid', maxLength: 36 },
    example: '019a2b65-803e-7a11-9c2d-5e6f70818293',
  },
  'webhook-timestamp': {
    description: 'Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.',
    schema: { type: 'string', pattern: '^[0-9]{10}$', maxLength: 10 },
    example: '1795256102',
  },
  'webhook-signature': {
    description:
      '`v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).',
    schema: textSchema(128),
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
};

/** Builds the shared header parameters of webhooks. */
const webhookHeaderComponents = (): Record<string, oas31.ParameterObject> =>
  Object.fromEntries(
    Object.entries(HEADERS).map(([name, header]) => [name, { name, in: 'header', required: true, ...header }]),
  );

const RESPONSES: oas31.ResponsesObject = {
  '2XX': { description: 'The event was received' },
  410: { description: 'Disables the endpoint' },
  default: { description: 'The request is sent again later' },
};

/** Builds the requests that the server sends: one for each event type. */
const webhookOperations = (): Record<string, oas31.PathItemObject> =>
  Object.fromEntries(EVENT_TYPES.map((type) => [type, { post: webhookOperation(type) }]));

function webhookOperation(type: string): oas31.OperationObject {
  const name = eventSchemaName(type);
  return {
    tags: [WEBHOOK_EVENTS_TAG.name],
    operationId: `receive${name}`,
    summary: type,
    description: descriptionOf(type),
    security: [],
    parameters: Object.keys(HEADERS).map((header) => ({ $ref: `#/components/parameters/${header}` })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: { $ref: `#/components/schemas/${name}` },
          example: EXAMPLE_WEBHOOKS.get(type),
        },
      },
    },
    responses: RESPONSES,
  };
}

function descriptionOf(type: string): string {
  if (type === TEST_TYPE) return 'Sent to test an endpoint. It is in neither the audit log nor the change feed.';
  if (type === CHECKPOINT_TYPE)
    return 'The signed head of the audit log, after each hour in which something happened. Only its own name in `events` selects it.';
  const changes = isFullObject(type) ? 'the whole object' : '`{from, to}` of each changed field';
  return `An audit event. \`data.changes\` has ${changes}.`;
}
