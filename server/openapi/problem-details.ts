import type { oas31 } from 'zod-openapi';
import { ERROR_CODES } from '../../procedures/core/errors.ts';
import { MAX_MESSAGE_LENGTH } from './errors.ts';

/** The body of an error for who asks for `application/problem+json`. */
export const problemSchema: oas31.SchemaObject = {
  type: 'object',
  description: 'Problem details of RFC 9457, for who asks for `application/problem+json`.',
  properties: {
    type: { type: 'string', const: 'about:blank' },
    title: { type: 'string', description: 'The name of the status', maxLength: 64 },
    status: { type: 'integer', format: 'int32', minimum: 400, maximum: 599 },
    detail: { type: 'string', description: 'The same as `error`', maxLength: MAX_MESSAGE_LENGTH },
    instance: {
      type: 'string',
      format: 'uri',
      description: 'The request id, where it is a UUID',
      maxLength: 45,
    },
    code: { type: 'string', enum: ERROR_CODES, description: 'The same as `X-Error-Code`' },
    error: { type: 'string', description: 'For a person; names the field', maxLength: MAX_MESSAGE_LENGTH },
  },
  required: ['type', 'title', 'status', 'detail', 'code', 'error'],
  additionalProperties: false,
};
