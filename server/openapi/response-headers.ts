import type { oas31 } from 'zod-openapi';
import { EXAMPLE_HEADERS } from '../../procedures/document/example-values.ts';
import { ERROR_CODES } from '../../procedures/core/errors.ts';
import { CHALLENGES } from '../http/error-handler.ts';
import { hasEntityTag, hasFileName, jsonOf } from '../rest/route.ts';
import type { Route } from '../rest/route.ts';
import { requestIdSchema, textSchema } from './schemas.ts';

/** Response below `/external`. Errors, which all operations share, have no route. */
interface DocumentedResponse {
  status: number;
  route?: Route;
}

export interface DocumentedHeader {
  description: string;
  schema: oas31.SchemaObject;
  example: string | number;
}

interface ResponseHeader extends DocumentedHeader {
  /** Returns true if the response may have the header. */
  appliesTo(response: DocumentedResponse): boolean;
  /** True if each of these responses has the header. */
  required?: true;
}

/** SHA-256 of the example of a content, as a digest and as an entity tag. */
export const EXAMPLE_DIGEST = 'sha-256=:n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=:';
export const EXAMPLE_CONTENT_TAG = '"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"';

/** True for a response with the bytes of a file. */
const isContent = ({ status, route }: DocumentedResponse): boolean =>
  (status === 200 || status === 206) && route?.response.kind === 'bytes';

/** Headers of responses with the bytes of a file. */
const CONTENT_HEADERS: Readonly<Record<string, ResponseHeader>> = {
  'Accept-Ranges': {
    description: 'The operation supports `Range`',
    schema: { type: 'string', const: 'bytes' },
    example: 'bytes',
    appliesTo: isContent,
    required: true,
  },
  'Content-Range': {
    description: 'Position of the range, and size of the whole content',
    schema: textSchema(64),
    example: 'bytes 0-1023/184320',
    appliesTo: ({ status }) => status === 206 || status === 416,
    required: true,
  },
  'Repr-Digest': {
    description: 'SHA-256 of the whole content (RFC 9530)',
    schema: textSchema(64),
    example: EXAMPLE_DIGEST,
    appliesTo: isContent,
    required: true,
  },
  'Content-Security-Policy': {
    description: 'Policy with which a browser runs no part of the content',
    schema: textSchema(64),
    example: "sandbox; default-src 'none'",
    appliesTo: isContent,
    required: true,
  },
};

const timestampSchema: oas31.SchemaObject = { type: 'string', format: 'date-time', maxLength: 24 };
const countSchema: oas31.SchemaObject = { type: 'integer', format: 'int32', minimum: 0, maximum: 2_147_483_647 };
const everyResponse = () => true;
/** Limits, warnings and deprecations come after the first two checks. */
const isAuthenticated = ({ status }: DocumentedResponse) => status !== 401 && status !== 421;

/** Example of a request id. */
export const EXAMPLE_REQUEST_ID = 'b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17';

/** Example of an entity tag. */
export const EXAMPLE_ENTITY_TAG = '"3-5f1d7c0a"';

/** Documented response headers. The document and its tests are derived from this table. */
const RESPONSE_HEADERS: Readonly<Record<string, ResponseHeader>> = {
  'X-Request-Id': {
    description: 'Id of the request, as in the audit log',
    schema: requestIdSchema,
    example: EXAMPLE_REQUEST_ID,
    appliesTo: everyResponse,
    required: true,
  },
  'Access-Control-Allow-Origin': {
    description: 'Origin of the page that sent the request, if `CORS_ORIGINS` has it',
    schema: textSchema(512),
    example: 'https://app.example.com',
    appliesTo: everyResponse,
  },
  'X-Error-Code': {
    description: 'Machine-readable reason of the error',
    schema: { type: 'string', enum: ERROR_CODES },
    example: 'invalid_request',
    appliesTo: ({ status }) => status >= 400,
    required: true,
  },
  Location: {
    description: 'Path of the created resource',
    schema: { type: 'string', format: 'uri-reference', maxLength: 255 },
    example: EXAMPLE_HEADERS.location,
    appliesTo: ({ status, route }) => status === 201 || (status === 202 && jsonOf(route)?.location !== undefined),
  },
  'X-Total-Count': {
    description: 'Number of matching items on all pages',
    schema: countSchema,
    example: 1,
    appliesTo: ({ status, route }) =>
      status === 200 && (route?.response.kind === 'list' || jsonOf(route)?.totalCountField !== undefined),
    required: true,
  },
  Link: {
    description: 'Absolute URL of the next page, as `rel="next"`; absent if there is none',
    schema: textSchema(8192),
    example: EXAMPLE_HEADERS.link,
    appliesTo: ({ status, route }) => status === 200 && route?.response.kind === 'list',
  },
  ETag: {
    description: 'Entity tag of the resource, for `If-Match` and `If-None-Match`; absent with `asOf`',
    schema: textSchema(66),
    example: EXAMPLE_ENTITY_TAG,
    appliesTo: ({ status, route }) => status < 400 && hasEntityTag(route),
  },
  'X-Upsert': {
    description: 'Effect of the request',
    schema: { type: 'string', enum: ['created', 'updated', 'unchanged'] },
    example: 'created',
    appliesTo: ({ status, route }) => status < 400 && route?.response.kind === 'upsert',
    required: true,
  },
  'X-Dry-Run': {
    description: 'The request was checked only (`dryRun=true`)',
    schema: { type: 'string', const: 'true' },
    example: 'true',
    appliesTo: ({ status, route }) => status < 400 && status !== 202 && route?.queryFields.includes('dryRun') === true,
  },
  'Content-Disposition': {
    description: 'Name of the file: of an export as CSV, or of an attachment',
    schema: textSchema(8192),
    example: EXAMPLE_HEADERS.contentDisposition,
    appliesTo: (response) => isContent(response) || (response.status === 200 && hasFileName(response.route)),
  },
  ...CONTENT_HEADERS,
  'Preference-Applied': {
    description: 'Preference of `Prefer` that was applied',
    schema: textSchema(32),
    example: 'return=representation',
    appliesTo: ({ status, route }) => status < 400 && jsonOf(route)?.representation !== undefined,
  },
  'Idempotency-Replayed': {
    description: 'The response is a replay: the request was executed before',
    schema: { type: 'string', const: 'true' },
    example: 'true',
    appliesTo: ({ status, route }) => status < 400 && route?.type === 'mutation',
  },
  'WWW-Authenticate': {
    description: 'Ways to authenticate',
    schema: textSchema(255),
    example: CHALLENGES,
    appliesTo: ({ status }) => status === 401,
    required: true,
  },
  Allow: {
    description: 'Methods that the path supports',
    schema: textSchema(64),
    example: 'GET, HEAD',
    appliesTo: ({ status }) => status === 405,
    required: true,
  },
  'Retry-After': {
    description: 'Seconds to wait before a retry; with every 429 and 503, and with 409 `idempotency_conflict`',
    schema: countSchema,
    example: 1,
    appliesTo: ({ status }) => status === 409 || status === 429 || status === 503,
  },
  'RateLimit-Policy': {
    description:
      'The nearer rate limit, `"default"` of the API key or `"company"`: `q` requests, which come back evenly in `w` seconds; absent without a limit',
    schema: textSchema(64),
    example: '"default";q=600;w=60',
    appliesTo: isAuthenticated,
  },
  RateLimit: {
    description:
      'Remaining requests `r` of the nearer limit, and seconds `t` until more come back; absent without a limit',
    schema: textSchema(64),
    example: '"default";r=599;t=1',
    appliesTo: isAuthenticated,
  },
  Deprecation: {
    description: 'Date of the deprecation of the operation (RFC 9745)',
    schema: textSchema(32),
    example: '@1772323200',
    appliesTo: ({ status, route }) => status !== 401 && route?.deprecationHeaders?.['Deprecation'] !== undefined,
  },
  Sunset: {
    description: 'Earliest date of the removal of the operation (RFC 8594)',
    schema: textSchema(32),
    example: 'Fri, 01 Jan 2027 00:00:00 GMT',
    appliesTo: ({ status, route }) => status !== 401 && route?.deprecationHeaders?.['Sunset'] !== undefined,
  },
  'X-API-Key-Expires': {
    description: 'Expiry of the API key; sent from 14 days before it',
    schema: timestampSchema,
    example: '2027-01-31T00:00:00.000Z',
    appliesTo: isAuthenticated,
  },
  'X-API-Key-Rotated': {
    description: 'The API key was rotated. This is the expiry of the previous secret, which the request used.',
    schema: timestampSchema,
    example: '2027-01-31T00:00:00.000Z',
    appliesTo: isAuthenticated,
  },
};

/** Names of the response headers of all operations. */
export const RESPONSE_HEADER_NAMES: readonly string[] = Object.keys(RESPONSE_HEADERS);

/** Returns references to the headers of a response. */
export const responseHeadersFor = (response: DocumentedResponse): oas31.HeadersObject =>
  Object.fromEntries(
    Object.entries(RESPONSE_HEADERS)
      .filter(([, header]) => header.appliesTo(response))
      .map(([name]) => [name, { $ref: `#/components/headers/${name}` }]),
  );

/** Builds the shared response headers. */
export const responseHeaderComponents = (): oas31.HeadersObject =>
  Object.fromEntries(
    Object.entries(RESPONSE_HEADERS).map(([name, { description, schema, example, required = false }]) => [
      name,
      { description, required, schema, example },
    ]),
  );
