import type { IncomingHttpHeaders } from 'node:http';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { errorComponents } from '../../../server/openapi/errors.ts';
import { responseHeaderComponents } from '../../../server/openapi/response-headers.ts';
import { openApiText } from '../../../server/openapi/document.ts';

interface ResponseHeader {
  required: boolean;
  schema: object;
}
interface OperationResponse {
  headers: Record<string, { $ref: string }>;
  content?: Record<string, { schema?: object; examples?: Record<string, unknown> }>;
}
export interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  security: object[];
  parameters?: (
    | { name: string; in: string; required: boolean; schema: object; example?: unknown }
    | { $ref: string }
  )[];
  requestBody?: { required: boolean; content: Record<string, { schema: object; example: object }> };
  responses: Record<string, OperationResponse | { $ref: string }>;
}
export interface OpenApi {
  openapi: string;
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Record<string, Operation>>;
  components: {
    securitySchemes: object;
    schemas: Record<string, object>;
    parameters: Record<string, { name: string; in: string }>;
    headers: Record<string, ResponseHeader>;
    responses: Record<string, OperationResponse>;
  };
}

/** The OpenAPI document of the server. */
export const openApi = JSON.parse(openApiText()) as OpenApi;

const ajv = new Ajv2020({ strict: false, validateSchema: false, coerceTypes: true });
formats.default(ajv);
ajv.addFormat('uri-reference', true);
ajv.addSchema(openApi, 'openapi');
// Header values are coerced from text, bodies are not.
const strictAjv = new Ajv2020({ strict: false, validateSchema: false });
formats.default(strictAjv);
strictAjv.addSchema(openApi, 'openapi');

const compiledSchemas = new Map<object, ValidateFunction>();

/** Validates a value against a schema of the document. @returns the errors, or undefined for a valid value */
export function schemaError(schema: object, value: unknown): string | undefined {
  let validate = compiledSchemas.get(schema);
  if (validate === undefined) {
    validate = strictAjv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')) as object);
    compiledSchemas.set(schema, validate);
  }
  return validate(value) ? undefined : strictAjv.errorsText(validate.errors);
}

/** Headers of HTTP itself, which the document does not list. */
const TRANSPORT_HEADERS = new Set([
  'access-control-expose-headers',
  'cache-control',
  'content-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
  'vary',
  'x-content-type-options',
]);

const operations = Object.entries(openApi.paths).map(([template, verbs]) => ({
  pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
  template,
  verbs,
}));

// Shared components by name, including those that no operation references: 405 applies to a path.
const shared = JSON.parse(
  JSON.stringify({ headers: responseHeaderComponents(), responses: errorComponents() }),
) as Pick<OpenApi['components'], 'headers' | 'responses'>;

const refName = ($ref: string) => $ref.split('/').at(-1) ?? '';
const resolveResponse = (response: OperationResponse | { $ref: string } | undefined) =>
  response !== undefined && '$ref' in response ? shared.responses[refName(response.$ref)] : response;

interface ObservedResponse {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/**
 * Checks that a response under /external conforms to the document: its status, headers, content type and body.
 * @throws Error that names the difference
 */
export function assertConforms(method: string, target: string, observed: ObservedResponse): void {
  const path = target.split('?')[0] ?? '';
  if (path !== '/external' && !path.startsWith('/external/')) return;
  // CORS preflight requests are not part of the document.
  if (method === 'OPTIONS' && observed.status === 204) return;
  const fail = (reason: string) => {
    throw new Error(
      `${method} ${path} ${observed.status} does not conform to the document: ${reason}\n${observed.text}`,
    );
  };
  const pathItem = operations.find(({ pattern }) => pattern.test(path));
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
  const operation = pathItem?.verbs[verb];
  // A path or method without an operation allows only these errors.
  const fallbackResponses: Record<string, { $ref: string }> = Object.fromEntries(
    [401, pathItem === undefined ? 404 : 405, 421, 429].map((status) => [
      status,
      { $ref: `#/components/responses/${status}` },
    ]),
  );
  const response = resolveResponse((operation?.responses ?? fallbackResponses)[observed.status]);
  if (response === undefined) return fail('undocumented status');
  checkHeaders(response, observed, fail);
  checkBody(response, observed, method, fail);
}

function checkHeaders(
  response: OperationResponse,
  { headers }: ObservedResponse,
  fail: (reason: string) => void,
): void {
  for (const [name, { $ref }] of Object.entries(response.headers)) {
    const header = shared.headers[refName($ref)];
    if (header === undefined) return fail(`${name}: undefined component`);
    const value = headers[name.toLowerCase()];
    if (value === undefined && header.required) fail(`${name}: required`);
    if (value !== undefined && !ajv.validate(header.schema, value)) fail(`${name}: ${ajv.errorsText()}`);
  }
  const known = new Set(Object.keys(response.headers).map((name) => name.toLowerCase()));
  for (const name of Object.keys(headers))
    if (!known.has(name) && !TRANSPORT_HEADERS.has(name)) fail(`${name}: undocumented header`);
}

function checkBody(
  response: OperationResponse,
  observed: ObservedResponse,
  method: string,
  fail: (reason: string) => void,
): void {
  const type = observed.headers['content-type']?.split(';')[0];
  if (response.content === undefined) {
    if (observed.text !== '' || type !== undefined) fail('undocumented body');
    return;
  }
  const content = response.content[type ?? ''] ?? response.content['*/*'];
  if (content === undefined) return fail(`undocumented content type ${type}`);
  if (method === 'HEAD') {
    if (observed.text !== '') fail('body in a response to HEAD');
    return;
  }
  const isJson = type?.endsWith('json') === true;
  const error = content.schema && schemaError(content.schema, isJson ? JSON.parse(observed.text) : observed.text);
  if (error !== undefined) fail(error);
  const code = observed.headers['x-error-code'];
  if (observed.status >= 400 && content.examples?.[String(code)] === undefined) fail(`no example for ${String(code)}`);
}
