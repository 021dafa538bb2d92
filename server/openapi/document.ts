import { generateOpenApiDocument } from 'trpc-to-openapi';
import type { OpenAPIObject, OpenApiRouter } from 'trpc-to-openapi';
import { restRouter } from '../../procedures/core/declaration/rest-router.ts';
import { INTRODUCTION, TITLE } from '../../procedures/document/introduction.ts';
import { TAGS, serviceRouter } from '../../procedures/index.ts';
import { webhookSchemas } from '../../procedures/webhook/event-schemas.ts';
import { compileRoutes } from '../rest/routes.ts';
import type { Route } from '../rest/route.ts';
import { errorComponents, errorSchema, problemSchema } from './errors.ts';
import type { Schemas } from './examples.ts';
import { completeOperation } from './operation.ts';
import { requestHeaderComponents } from './request-headers.ts';
import { responseHeaderComponents } from './response-headers.ts';
import { usedComponents, withNullableTypes, withTextPatterns } from './schemas.ts';
import { WEBHOOK_EVENTS_TAG, webhookHeaderComponents, webhookOperations } from './webhooks.ts';

/** Returns the document as JSON text. @param url public origin of the server, because few clients resolve a relative one */
export const openApiText = (url = '/'): string =>
  JSON.stringify({ ...openApiDocument(), servers: [{ url, description: 'This server', 'x-internal': false }] });

/**
 * Builds the OpenAPI 3.1 document of the REST API. trpc-to-openapi derives paths and schemas from the procedures. This
 * folder adds errors, headers, examples and webhooks, so that the document describes the actual responses (docs/decisions, 0015).
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
        description: 'API key, created by an admin of the company.',
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
  return withTextPatterns({
    ...generated,
    tags: [...TAGS, WEBHOOK_EVENTS_TAG],
    ...(paths !== undefined && { paths }),
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
