import { generateOpenApiDocument } from 'trpc-to-openapi';
import type { OpenAPIObject } from 'trpc-to-openapi';
import { appRouter } from '../procedures/index.ts';
import { LINES } from './lines.ts';
import { routesOf } from './routes.ts';
import type { Route } from './routes.ts';

const DESCRIPTION = `Compliance tasks of a framework, and the vendors in the smart inventory of a company.

Every request below \`/external\` carries an API key in \`X-API-Key\`; the key names the company and its integration user.
Every answer carries \`X-Request-Id\`. Errors are \`{"error": "<message>"}\`, with a code for machines in \`X-Error-Code\`.`;

const ERRORS = {
  400: 'Malformed JSON, a wrong type or value, a missing or unknown field',
  401: 'The key is missing, invalid, disabled, expired or revoked',
  403: 'The key lacks the right to this, or may not be used for this framework or from this address',
  404: 'No such id in the company of the key',
  409: 'The state does not permit the transition',
  413: 'The body is larger than 256 KiB',
  415: 'The body is not application/json',
  422: 'Refers to what is not there or may not be used, or breaks a rule over several fields',
  500: 'A fault of the service',
  503: 'The database cannot be reached or is overloaded; try again after Retry-After seconds',
} as const;
type ErrorStatus = keyof typeof ERRORS;

const header = (description: string) => ({ description, schema: { type: 'string' as const } });
const ERROR_HEADERS = {
  'X-Error-Code': header('Machine-readable reason'),
  'X-Request-Id': header('Names this request'),
};

/** OpenAPI 3.1 of the REST face: what trpc-to-openapi makes of the procedures, with the answers as they really are. */
export function openApiDocument(): OpenAPIObject {
  const document = generateOpenApiDocument(appRouter, {
    title: 'Compliance Task and Vendor Inventory API',
    description: DESCRIPTION,
    version: '1.0.0',
    openApiVersion: '3.1.0',
    baseUrl: '/',
    tags: ['Tasks', 'Vendors', 'Audit'],
    securitySchemes: { ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
  });
  for (const route of routesOf(appRouter)) {
    const operation = document.paths?.[route.template]?.[method(route)];
    if (operation?.responses === undefined) throw new Error(`${route.procedure} is not in the document`);
    const success = operation.responses['200'];
    const declared = Object.keys(operation.responses).map(Number);
    operation.responses = { ...successOf(route, success), ...errorsOf(route, declared) };
  }
  document.components = {
    ...document.components,
    schemas: {
      ...Object.fromEntries(
        Object.entries(document.components?.schemas ?? {}).filter(([name]) => !name.startsWith('error.')),
      ),
      Error: {
        type: 'object',
        description: 'The message is for a person and names the field.',
        properties: { error: { type: 'string' } },
        required: ['error'],
        additionalProperties: false,
      },
    },
    responses: Object.fromEntries(
      Object.entries(ERRORS).map(([status, description]) => [
        status,
        {
          description,
          headers: {
            ...ERROR_HEADERS,
            ...(status === '401' && { 'WWW-Authenticate': header('ApiKey') }),
            ...(status === '503' && { 'Retry-After': header('Seconds to wait') }),
          },
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
      ]),
    ),
  };
  return document;
}

const METHODS = { GET: 'get', POST: 'post', PATCH: 'patch', DELETE: 'delete' } as const;

function method(route: Route) {
  const verb = Object.entries(METHODS).find(([name]) => name === route.method)?.[1];
  if (verb === undefined) throw new Error(`${route.procedure}: ${route.method} is not served`);
  return verb;
}

const lines = {
  [LINES]: { schema: { type: 'string' as const, description: 'Every item that matches, as JSON, one on each line' } },
};

function successOf(route: Route, success: { content?: object }) {
  const headers = {
    'X-Request-Id': ERROR_HEADERS['X-Request-Id'],
    ...(route.location !== undefined && { Location: header('Path of what was created') }),
    ...(route.totalCount !== undefined && { 'X-Total-Count': header(`The same number as \`${route.totalCount}\``) }),
  };
  if (route.isSilent) return { 204: { description: 'Done; no body', headers } };
  return {
    [route.location === undefined ? 200 : 201]: {
      ...success,
      content: { ...success.content, ...(route.everyPage && lines) },
      description: 'Done',
      headers,
    },
  };
}

function errorsOf(route: Route, declared: readonly number[]) {
  const statuses: ErrorStatus[] = [400, 401, 500, 503];
  if (route.needsRight) statuses.push(403);
  if (route.pathParameters.length > 0) statuses.push(404);
  if (route.takesBody) statuses.push(413, 415);
  if (declared.includes(409)) statuses.push(409);
  if (declared.includes(422)) statuses.push(422);
  return Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/${status}` }]));
}
