import type { oas31 } from 'zod-openapi';
import type { Route } from '../rest/routes.ts';
import { EXAMPLE_ENTITY_TAG, EXAMPLE_REQUEST_ID, textSchema } from './response-headers.ts';
import type { DocumentedHeader } from './response-headers.ts';

interface RequestHeader extends DocumentedHeader {
  /** Which operations take it; it may always be left out. */
  appliesTo(route: Route): boolean;
}

/** Every header of a request that operations take, but for the key and the content type. */
const REQUEST_HEADERS: Readonly<Record<string, RequestHeader>> = {
  'X-Request-Id': {
    description:
      'A name of yours for this request: 1 to 128 of letters, digits and `_.:-`. Anything else is replaced, and so is an id that contains an API key.',
    schema: textSchema(128),
    example: EXAMPLE_REQUEST_ID,
    appliesTo: () => true,
  },
  'If-Match': {
    description:
      'An `ETag`, several, or `*`: the change is made only where the resource still has one of them, else 412',
    schema: textSchema(8192),
    example: EXAMPLE_ENTITY_TAG,
    appliesTo: ({ targetsItem }) => targetsItem,
  },
  'If-None-Match': {
    description:
      'An `ETag`, several, or `*`: where the resource has one of them, the answer is 304. Not heeded for the past.',
    schema: textSchema(8192),
    example: EXAMPLE_ENTITY_TAG,
    appliesTo: ({ type, hasEntityTag }) => type === 'query' && hasEntityTag,
  },
  Prefer: {
    description: '`return=representation` to be answered the resource as it is now: RFC 7240',
    schema: textSchema(8192),
    example: 'return=representation',
    appliesTo: ({ representation }) => representation !== undefined,
  },
  'Idempotency-Key': {
    description:
      'A name of yours for this request: 1 to 255 printable ASCII characters. The same again within 24 hours is not carried out again, and answered alike.',
    schema: { type: 'string', pattern: '^[ -~]+$', minLength: 1, maxLength: 255 },
    example: '6f1c2a0e-8a55-4a3b-9c39-2f3a8e0d7b44',
    appliesTo: ({ type }) => type === 'mutation',
  },
};

/** References to the headers that an operation takes. */
export const requestHeadersFor = (route: Route): oas31.ReferenceObject[] =>
  Object.entries(REQUEST_HEADERS)
    .filter(([, header]) => header.appliesTo(route))
    .map(([name]) => ({ $ref: `#/components/parameters/${name}` }));

/** What those references lead to. */
export const requestHeaderComponents = () =>
  Object.fromEntries(
    Object.entries(REQUEST_HEADERS).map(([name, { description, schema, example }]) => [
      name,
      {
        name,
        in: 'header' as const,
        required: false,
        description,
        schema,
        example,
      },
    ]),
  );
