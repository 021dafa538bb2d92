import type { oas31 } from 'zod-openapi';
import { ERROR_CODES } from '../../procedures/core/errors.ts';
import { MAX_MESSAGE_LENGTH } from './errors.ts';

/** Schema of an error body with `Accept: application/problem+json`. */
export const problemSchema: oas31.SchemaObject = {
  type: 'object',
  description: 'Problem details (RFC 9457), sent with `Accept: application/problem+json`.',
  properties: {
    type: { type: 'string', const: 'about:blank' },
    title: { type: 'string', description: 'Reason phrase of the status', maxLength: 64 },
    status: { type: 'integer', format: 'int32', minimum: 400, maximum: 599 },
    detail: { type: 'string', description: 'Same as `error`', maxLength: MAX_MESSAGE_LENGTH },
    instance: {
      type: 'string',
      format: 'uri',
      description: 'Request id as a URN, if it is a UUID',
      maxLength: 45,
    },
    code: { type: 'string', enum: ERROR_CODES, description: 'Same as `X-Error-Code`' },
    error: { type: 'string', description: 'A message for people. It names the field.', maxLength: MAX_MESSAGE_LENGTH },
  },
  required: ['type', 'title', 'status', 'detail', 'code', 'error'],
  additionalProperties: false,
};
