import type { oas31 } from 'zod-openapi';
import { ERROR_CODES } from '../../procedures/core/errors.ts';
import type { Route } from '../rest/routes.ts';

/** An answer below `/external`, as far as its headers depend on it. */
interface DocumentedResponse {
  status: number;
  /** The operation; left out for errors, which all operations share. */
  route?: Route;
}

export interface DocumentedHeader {
  description: string;
  schema: oas31.SchemaObject;
  example: string | number;
}

interface ResponseHeader extends DocumentedHeader {
  /** Which answers carry it. */
  appliesTo(response: DocumentedResponse): boolean;
  /** Whether only some of these do. */
  optional?: true;
}

export const textSchema = (maxLength: number): oas31.SchemaObject => ({ type: 'string', maxLength });
const timestampSchema: oas31.SchemaObject = { type: 'string', format: 'date-time', maxLength: 24 };
const countSchema: oas31.SchemaObject = { type: 'integer', format: 'int32', minimum: 0, maximum: 2_147_483_647 };
const everyResponse = () => true;
const isAuthenticated = ({ status }: DocumentedResponse) => status !== 401;

/** An example of a request id. */
export const EXAMPLE_REQUEST_ID = 'b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17';

/** An example of an entity tag. */
export const EXAMPLE_ENTITY_TAG = '"3-5f1d7c0a"';

/** Every header of an answer that the document shows. One line makes a header known to the document, and to the tests. */
const RESPONSE_HEADERS: Readonly<Record<string, ResponseHeader>> = {
  'X-Request-Id': {
    description: 'Names this request, in the audit trail too',
    schema: textSchema(128),
    example: EXAMPLE_REQUEST_ID,
    appliesTo: everyResponse,
  },
  'X-Error-Code': {
    description: 'The reason, for machines',
    schema: { type: 'string', enum: ERROR_CODES },
    example: 'invalid_request',
    appliesTo: ({ status }) => status >= 400,
  },
  Location: {
    description: 'Path of what was created',
    schema: { type: 'string', format: 'uri-reference', maxLength: 255 },
    example: '/external/smart-inventory/vendor/019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071/item',
    appliesTo: ({ status }) => status === 201,
  },
  'X-Total-Count': {
    description: 'How many there are, on all pages',
    schema: countSchema,
    example: 1,
    appliesTo: ({ status, route }) => status === 200 && route?.totalCountField !== undefined,
  },
  Link: {
    description: 'The next page, as `rel="next"`; left out where there is none',
    schema: textSchema(8192),
    example: '</external/smart-inventory/vendor/list?limit=50&cursor=c2VhbGVkIGFuZCBzaG9ydGVuZWQ>; rel="next"',
    appliesTo: ({ status, route }) => status === 200 && route?.bareArray === true,
    optional: true,
  },
  ETag: {
    description: 'The state that the resource is in, for `If-Match` and `If-None-Match`; not of one in the past',
    schema: textSchema(32),
    example: EXAMPLE_ENTITY_TAG,
    appliesTo: ({ status, route }) => status < 400 && route?.hasEntityTag === true,
    optional: true,
  },
  'Preference-Applied': {
    description: 'The preference of `Prefer` that was heeded',
    schema: textSchema(32),
    example: 'return=representation',
    appliesTo: ({ status, route }) => status < 400 && route?.representation !== undefined,
    optional: true,
  },
  'Idempotency-Replayed': {
    description: 'The request was carried out before, and this is how it was answered then',
    schema: { type: 'string', const: 'true' },
    example: 'true',
    appliesTo: ({ status, route }) => status < 400 && route?.type === 'mutation',
    optional: true,
  },
  'WWW-Authenticate': {
    description: 'How to authenticate',
    schema: textSchema(255),
    example: 'ApiKey realm="external", header="X-API-Key"',
    appliesTo: ({ status }) => status === 401,
  },
  Allow: {
    description: 'The verbs that the path takes',
    schema: textSchema(64),
    example: 'GET, HEAD',
    appliesTo: ({ status }) => status === 405,
  },
  'Retry-After': {
    description: 'Seconds after which to try again: with every 429 and 503, and with 409 `idempotency_conflict`',
    schema: countSchema,
    example: 1,
    appliesTo: ({ status }) => status === 409 || status === 429 || status === 503,
    optional: true,
  },
  'RateLimit-Policy': {
    description: 'How many requests (`q`) a key may make in how many seconds (`w`); where there is a limit',
    schema: textSchema(64),
    example: '"default";q=600;w=60',
    appliesTo: isAuthenticated,
    optional: true,
  },
  RateLimit: {
    description: 'How many requests are left (`r`) for how many seconds (`t`); where there is a limit',
    schema: textSchema(64),
    example: '"default";r=599;t=60',
    appliesTo: isAuthenticated,
    optional: true,
  },
  Deprecation: {
    description: 'Since when the operation is deprecated: RFC 9745',
    schema: textSchema(32),
    example: '@1772323200',
    appliesTo: ({ status, route }) => status !== 401 && route?.deprecationHeaders?.['Deprecation'] !== undefined,
    optional: true,
  },
  Sunset: {
    description: 'From when the operation may be gone: RFC 8594',
    schema: textSchema(32),
    example: 'Fri, 01 Jan 2027 00:00:00 GMT',
    appliesTo: ({ status, route }) => status !== 401 && route?.deprecationHeaders?.['Sunset'] !== undefined,
    optional: true,
  },
  'X-API-Key-Expires': {
    description: 'When the key ends; from 14 days before that moment',
    schema: timestampSchema,
    example: '2027-01-31T00:00:00.000Z',
    appliesTo: isAuthenticated,
    optional: true,
  },
  'X-API-Key-Rotated': {
    description: 'The key was rotated, and this old secret works until then',
    schema: timestampSchema,
    example: '2027-01-31T00:00:00.000Z',
    appliesTo: isAuthenticated,
    optional: true,
  },
};

/** References to the headers that an answer carries. */
export const responseHeadersFor = (response: DocumentedResponse): oas31.HeadersObject =>
  Object.fromEntries(
    Object.entries(RESPONSE_HEADERS)
      .filter(([, header]) => header.appliesTo(response))
      .map(([name]) => [name, { $ref: `#/components/headers/${name}` }]),
  );

/** What those references lead to. */
export const responseHeaderComponents = (): oas31.HeadersObject =>
  Object.fromEntries(
    Object.entries(RESPONSE_HEADERS).map(([name, { description, schema, example, optional }]) => [
      name,
      { description, required: optional !== true, schema, example },
    ]),
  );
