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
  parameters?: ({ name: string; in: string; required: boolean; schema: object } | { $ref: string })[];
  requestBody?: { required: boolean; content: Record<string, { schema: object; example: object }> };
  responses: Record<string, OperationResponse | { $ref: string }>;
}
export interface OpenApi {
  openapi: string;
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    securitySchemes: object;
    schemas: Record<string, object>;
    headers: Record<string, ResponseHeader>;
    responses: Record<string, OperationResponse>;
  };
}

/** What the server says of itself. */
export const openApi = JSON.parse(openApiText()) as OpenApi;

const ajv = new Ajv2020({ strict: false, validateSchema: false, coerceTypes: true });
formats.default(ajv);
ajv.addFormat('uri-reference', true);
ajv.addSchema(openApi, 'openapi');
// A body is not coerced: there a string is no number.
const strictAjv = new Ajv2020({ strict: false, validateSchema: false });
formats.default(strictAjv);
strictAjv.addSchema(openApi, 'openapi');

const compiledSchemas = new Map<object, ValidateFunction>();

/** Whether a value is what a schema of the document says, and if not, why. */
export function schemaError(schema: object, value: unknown): string | undefined {
  let validate = compiledSchemas.get(schema);
  if (validate === undefined) {
    validate = strictAjv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')) as object);
    compiledSchemas.set(schema, validate);
  }
  return validate(value) ? undefined : strictAjv.errorsText(validate.errors);
}

/** Headers that belong to HTTP and not to the API, and that no operation lists. */
const TRANSPORT_HEADERS = new Set([
  'access-control-allow-origin',
  'access-control-expose-headers',
  'cache-control',
  'connection',
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

// Shared parts by name, also those that no operation refers to: 405 belongs to a path.
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
 * Holds an answer below /external against the document: its status, headers, content type and body.
 * @throws Error that says what the document does not
 */
export function assertConforms(method: string, target: string, answer: ObservedResponse): void {
  const path = target.split('?')[0] ?? '';
  if (path !== '/external' && !path.startsWith('/external/')) return;
  // A preflight is a browser's own question, which no document lists.
  if (method === 'OPTIONS' && answer.status === 204) return;
  const fail = (reason: string) => {
    throw new Error(`${method} ${path} ${answer.status} is not as the document says: ${reason}\n${answer.text}`);
  };
  const pathItem = operations.find(({ pattern }) => pattern.test(path));
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
  const operation = pathItem?.verbs[verb];
  // Where there is no operation, there is only the answer to that.
  const fallbackResponses: Record<string, { $ref: string }> = Object.fromEntries(
    [401, pathItem === undefined ? 404 : 405, 429].map((status) => [
      status,
      { $ref: `#/components/responses/${status}` },
    ]),
  );
  const response = resolveResponse((operation?.responses ?? fallbackResponses)[answer.status]);
  if (response === undefined) return fail('no such status');
  checkHeaders(response, answer, fail);
  checkBody(response, answer, method, fail);
}

function checkHeaders(response: OperationResponse, { headers }: ObservedResponse, fail: (what: string) => void): void {
  for (const [name, { $ref }] of Object.entries(response.headers)) {
    const header = shared.headers[refName($ref)];
    if (header === undefined) return fail(`${name} is nowhere`);
    const value = headers[name.toLowerCase()];
    if (value === undefined && header.required) fail(`no ${name}`);
    if (value !== undefined && !ajv.validate(header.schema, value)) fail(`${name}: ${ajv.errorsText()}`);
  }
  const known = new Set(Object.keys(response.headers).map((name) => name.toLowerCase()));
  for (const name of Object.keys(headers))
    if (!known.has(name) && !TRANSPORT_HEADERS.has(name)) fail(`${name} is not listed`);
}

function checkBody(
  response: OperationResponse,
  answer: ObservedResponse,
  method: string,
  fail: (what: string) => void,
): void {
  const type = answer.headers['content-type']?.split(';')[0];
  if (response.content === undefined) {
    if (answer.text !== '' || type !== undefined) fail('a body');
    return;
  }
  const content = response.content[type ?? ''];
  if (content === undefined) return fail(`the content type ${type}`);
  if (method === 'HEAD') {
    if (answer.text !== '') fail('a body');
    return;
  }
  const error = content.schema && schemaError(content.schema, JSON.parse(answer.text));
  if (error !== undefined) fail(error);
  const code = answer.headers['x-error-code'];
  if (answer.status >= 400 && content.examples?.[String(code)] === undefined) fail(`no example of ${String(code)}`);
}
