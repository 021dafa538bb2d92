import type { oas31 } from 'zod-openapi';
import type { Route } from '../routes.ts';
import { ENTITY_TAG, REQUEST_ID, text } from './headers.ts';
import type { Documented } from './headers.ts';

interface OfRequest extends Documented {
  /** Which operations take it; it may always be left out. */
  on(route: Route): boolean;
}

/** Every header of a request that operations take, but for the key and the content type. */
const REQUEST_HEADERS: Readonly<Record<string, OfRequest>> = {
  'X-Request-Id': {
    description:
      'A name of yours for this request: 1 to 128 of letters, digits and `_.:-`. Anything else is replaced, and so is an id that contains an API key.',
    schema: text(128),
    example: REQUEST_ID,
    on: () => true,
  },
  'If-Match': {
    description:
      'An `ETag`, several, or `*`: the change is made only where the resource still has one of them, else 412',
    schema: text(8192),
    example: ENTITY_TAG,
    on: ({ isOfOne }) => isOfOne,
  },
  'If-None-Match': {
    description:
      'An `ETag`, several, or `*`: where the resource has one of them, the answer is 304. Not heeded for the past.',
    schema: text(8192),
    example: ENTITY_TAG,
    on: ({ type, isTagged }) => type === 'query' && isTagged,
  },
  Prefer: {
    description: '`return=representation` to be answered the resource as it is now: RFC 7240',
    schema: text(8192),
    example: 'return=representation',
    on: ({ shows }) => shows !== undefined,
  },
  'Idempotency-Key': {
    description:
      'A name of yours for this request: 1 to 255 printable ASCII characters. The same again within 24 hours is not carried out again, and answered alike.',
    schema: { type: 'string', pattern: '^[ -~]+$', minLength: 1, maxLength: 255 },
    example: '6f1c2a0e-8a55-4a3b-9c39-2f3a8e0d7b44',
    on: ({ type }) => type === 'mutation',
  },
};

/** References to the headers that an operation takes. */
export const requestHeadersOf = (route: Route): oas31.ReferenceObject[] =>
  Object.entries(REQUEST_HEADERS)
    .filter(([, header]) => header.on(route))
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
