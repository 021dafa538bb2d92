import type { oas31 } from 'zod-openapi';
import { CODES } from '../../procedures/errors.ts';
import type { Route } from '../routes.ts';

/** An answer below `/external`, as far as its headers depend on it. */
interface Answer {
  status: number;
  /** The operation; left out for errors, which all operations share. */
  route?: Route;
}

export interface Documented {
  description: string;
  schema: oas31.SchemaObject;
  example: string | number;
}

interface OfAnswer extends Documented {
  /** Which answers carry it. */
  on(answer: Answer): boolean;
  /** Whether only some of these do. */
  sometimes?: true;
}

export const text = (maxLength: number): oas31.SchemaObject => ({ type: 'string', maxLength });
const moment: oas31.SchemaObject = { type: 'string', format: 'date-time', maxLength: 24 };
const count: oas31.SchemaObject = { type: 'integer', format: 'int32', minimum: 0, maximum: 2_147_483_647 };
const everywhere = () => true;
const admitted = ({ status }: Answer) => status !== 401;

/** An example of a request id. */
export const REQUEST_ID = 'b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17';

/** An example of an entity tag. */
export const ENTITY_TAG = '"3-5f1d7c0a"';

/** Every header of an answer that the document shows. One line makes a header known to the document, and to the tests. */
const HEADERS: Readonly<Record<string, OfAnswer>> = {
  'X-Request-Id': {
    description: 'Names this request, in the audit trail too',
    schema: text(128),
    example: REQUEST_ID,
    on: everywhere,
  },
  'X-Error-Code': {
    description: 'The reason, for machines',
    schema: { type: 'string', enum: CODES },
    example: 'invalid_request',
    on: ({ status }) => status >= 400,
  },
  Location: {
    description: 'Path of what was created',
    schema: { type: 'string', format: 'uri-reference', maxLength: 255 },
    example: '/external/smart-inventory/vendor/019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071/item',
    on: ({ status }) => status === 201,
  },
  'X-Total-Count': {
    description: 'How many there are, on all pages',
    schema: count,
    example: 1,
    on: ({ status, route }) => status === 200 && route?.totalCount !== undefined,
  },
  Link: {
    description: 'The next page, as `rel="next"`; left out where there is none',
    schema: text(8192),
    example: '</external/smart-inventory/vendor/list?limit=50&cursor=c2VhbGVkIGFuZCBzaG9ydGVuZWQ>; rel="next"',
    on: ({ status, route }) => status === 200 && route?.isBareList === true,
    sometimes: true,
  },
  ETag: {
    description: 'The state that the resource is in, for `If-Match` and `If-None-Match`; not of one in the past',
    schema: text(32),
    example: ENTITY_TAG,
    on: ({ status, route }) => status < 400 && route?.isTagged === true,
    sometimes: true,
  },
  'Preference-Applied': {
    description: 'The preference of `Prefer` that was heeded',
    schema: text(32),
    example: 'return=representation',
    on: ({ status, route }) => status < 400 && route?.shows !== undefined,
    sometimes: true,
  },
  'Idempotency-Replayed': {
    description: 'The request was carried out before, and this is how it was answered then',
    schema: { type: 'string', const: 'true' },
    example: 'true',
    on: ({ status, route }) => status < 400 && route?.type === 'mutation',
    sometimes: true,
  },
  'WWW-Authenticate': {
    description: 'How to authenticate',
    schema: text(255),
    example: 'ApiKey realm="external", header="X-API-Key"',
    on: ({ status }) => status === 401,
  },
  Allow: {
    description: 'The verbs that the path takes',
    schema: text(64),
    example: 'GET, HEAD',
    on: ({ status }) => status === 405,
  },
  'Retry-After': {
    description: 'Seconds after which to try again: with every 429 and 503, and with 409 `idempotency_conflict`',
    schema: count,
    example: 1,
    on: ({ status }) => status === 409 || status === 429 || status === 503,
    sometimes: true,
  },
  'RateLimit-Policy': {
    description: 'How many requests (`q`) a key may make in how many seconds (`w`); where there is a limit',
    schema: text(64),
    example: '"default";q=600;w=60',
    on: admitted,
    sometimes: true,
  },
  RateLimit: {
    description: 'How many requests are left (`r`) for how many seconds (`t`); where there is a limit',
    schema: text(64),
    example: '"default";r=599;t=60',
    on: admitted,
    sometimes: true,
  },
  Deprecation: {
    description: 'Since when the operation is deprecated: RFC 9745',
    schema: text(32),
    example: '@1772323200',
    on: ({ status, route }) => status !== 401 && route?.notices?.['Deprecation'] !== undefined,
    sometimes: true,
  },
  Sunset: {
    description: 'From when the operation may be gone: RFC 8594',
    schema: text(32),
    example: 'Fri, 01 Jan 2027 00:00:00 GMT',
    on: ({ status, route }) => status !== 401 && route?.notices?.['Sunset'] !== undefined,
    sometimes: true,
  },
  'X-API-Key-Expires': {
    description: 'When the key ends; from 14 days before that moment',
    schema: moment,
    example: '2027-01-31T00:00:00.000Z',
    on: admitted,
    sometimes: true,
  },
  'X-API-Key-Rotated': {
    description: 'The key was rotated, and this old secret works until then',
    schema: moment,
    example: '2027-01-31T00:00:00.000Z',
    on: admitted,
    sometimes: true,
  },
};

/** References to the headers that an answer carries. */
export const headersOn = (answer: Answer): oas31.HeadersObject =>
  Object.fromEntries(
    Object.entries(HEADERS)
      .filter(([, header]) => header.on(answer))
      .map(([name]) => [name, { $ref: `#/components/headers/${name}` }]),
  );

/** What those references lead to. */
export const headerComponents = (): oas31.HeadersObject =>
  Object.fromEntries(
    Object.entries(HEADERS).map(([name, { description, schema, example, sometimes }]) => [
      name,
      { description, required: sometimes !== true, schema, example },
    ]),
  );
