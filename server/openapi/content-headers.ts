import type { DocumentedResponse, ResponseHeader } from './documented-header.ts';
import { textSchema } from './schemas.ts';

/** SHA-256 of the example of a content, as a digest and as an entity tag. */
export const EXAMPLE_DIGEST = 'sha-256=:n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=:';
export const EXAMPLE_CONTENT_TAG = '"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"';

/** True for a response with the bytes of a file. */
export const isContent = ({ status, route }: DocumentedResponse): boolean =>
  (status === 200 || status === 206) && route?.response.kind === 'bytes';

/** Headers of responses with the bytes of a file. */
export const CONTENT_HEADERS: Readonly<Record<string, ResponseHeader>> = {
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
