import type { oas31 } from 'zod-openapi';
import { hasEntityTag, jsonOf } from '../rest/route.ts';
import type { Route } from '../rest/route.ts';
import { EXAMPLE_CONTENT_TAG, EXAMPLE_DIGEST, EXAMPLE_ENTITY_TAG, EXAMPLE_REQUEST_ID } from './response-headers.ts';
import type { DocumentedHeader } from './response-headers.ts';
import { requestIdSchema, textSchema } from './schemas.ts';

interface RequestHeader extends DocumentedHeader {
  /** Name of the header if it differs from the name of the component. */
  name?: string;
  /** Returns true if the operation supports the header. All headers are optional. */
  appliesTo(route: Route): boolean;
}

const sendsBytes = ({ response }: Route) => response.kind === 'bytes';

/** Request headers of the operations, except `X-API-Key` and `Content-Type`, in the order of the document: what a reader needs first. */
const REQUEST_HEADERS: Readonly<Record<string, RequestHeader>> = {
  'If-Match': {
    description:
      'A list of entity tags, or `*`. If the resource has none of them, the response is 412 and nothing changes. `W/` before a tag is ignored.',
    schema: textSchema(8192),
    example: EXAMPLE_ENTITY_TAG,
    appliesTo: ({ targetsItem }) => targetsItem,
  },
  'If-None-Match': {
    description:
      'A list of entity tags, or `*`. If the resource has one of them, the response is 304. Ignored with `asOf`.',
    schema: textSchema(8192),
    example: EXAMPLE_ENTITY_TAG,
    appliesTo: (route) => route.type === 'query' && hasEntityTag(route),
  },
  Range: {
    description:
      'One range of bytes, for the response 206. Anything else, for example several ranges, is ignored: the response has the whole content.',
    schema: textSchema(8192),
    example: 'bytes=0-1023',
    appliesTo: sendsBytes,
  },
  'If-Range': {
    description:
      'The entity tag of the part that the client has. `Range` applies only if it is the current one, with `W/` before it or without; a date never is.',
    schema: textSchema(8192),
    example: EXAMPLE_CONTENT_TAG,
    appliesTo: sendsBytes,
  },
  'Content-Digest': {
    description:
      'SHA-256 of the body (RFC 9530). If the body that arrives has another one, the response is 400. Other algorithms are ignored.',
    schema: textSchema(8192),
    example: EXAMPLE_DIGEST,
    appliesTo: ({ body }) => body?.kind === 'file',
  },
  CreateOnly: {
    name: 'If-None-Match',
    description: '`*` only creates: if the resource exists, the response is 412 and nothing changes.',
    schema: { type: 'string', const: '*' },
    example: '*',
    appliesTo: ({ response }) => response.kind === 'upsert',
  },
  Prefer: {
    description: '`return=representation` returns the updated resource (RFC 7240).',
    schema: textSchema(8192),
    example: 'return=representation',
    appliesTo: (route) => jsonOf(route)?.representation !== undefined,
  },
  'Idempotency-Key': {
    description:
      'A unique value for this change: 1 to 255 printable ASCII characters. For 24 hours, a retry returns the original response and has no second effect.',
    schema: { type: 'string', pattern: '^[ -~]+$', minLength: 1, maxLength: 255 },
    example: '6f1c2a0e-8a55-4a3b-9c39-2f3a8e0d7b44',
    appliesTo: ({ type }) => type === 'mutation',
  },
  'X-Request-Id': {
    description:
      'Id of the request: 1 to 128 letters, digits or `_.:-`. The server replaces any other value, and an id that contains an API key.',
    schema: requestIdSchema,
    example: EXAMPLE_REQUEST_ID,
    appliesTo: () => true,
  },
};

/** Names of the request headers of all operations. */
export const REQUEST_HEADER_NAMES: readonly string[] = [
  ...new Set(Object.entries(REQUEST_HEADERS).map(([component, { name = component }]) => name)),
];

/** Returns references to the request headers of an operation. */
export const requestHeadersFor = (route: Route): oas31.ReferenceObject[] =>
  Object.entries(REQUEST_HEADERS)
    .filter(([, header]) => header.appliesTo(route))
    .map(([name]) => ({ $ref: `#/components/parameters/${name}` }));

/** Builds the shared header parameters. */
export const requestHeaderComponents = () =>
  Object.fromEntries(
    Object.entries(REQUEST_HEADERS).map(([component, { name = component, description, schema, example }]) => [
      component,
      { name, in: 'header' as const, required: false, description, schema, example },
    ]),
  );
