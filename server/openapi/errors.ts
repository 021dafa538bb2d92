import { EXAMPLE_MESSAGES } from '../../procedures/document/example-values.ts';
import type { oas31 } from 'zod-openapi';
import { codeOf } from '../../entities/api-error.ts';
import type { ErrorCode } from '../../entities/api-error.ts';
import { ERRORS, ERROR_CODES, PROCEDURE_REASONS } from '../../procedures/core/errors.ts';
import { PROBLEM_MEDIA_TYPE, problemDetails } from '../http/error-handler.ts';
import type { Route } from '../rest/route.ts';
import { EXAMPLE_REQUEST_ID, responseHeadersFor } from './response-headers.ts';

interface Status {
  description: string;
  /** Returns true if the operation can respond with this status. Without it, an operation declares the status itself. */
  appliesTo?: (route: Route) => boolean;
}

const everyRoute = () => true;
const takesBody = ({ body }: Route) => body !== undefined;

/** Error statuses and their operations. The document and its tests are derived from this table. */
const STATUSES: Readonly<Record<number, Status>> = {
  400: { description: 'Malformed JSON, or a missing, unknown or invalid field or parameter', appliesTo: everyRoute },
  401: { description: 'The API key is missing, invalid, disabled, expired or revoked', appliesTo: everyRoute },
  403: {
    description: 'The API key lacks a scope, or is not allowed for this framework or client address',
    appliesTo: ({ scopes }) => scopes !== undefined,
  },
  404: {
    description: 'Unknown path, or no resource with this id in the company of the API key',
    appliesTo: ({ pathParameters }) => pathParameters.length > 0,
  },
  // No operation lists this status, because it depends on the path alone.
  405: { description: 'The path does not support this method' },
  409: {
    description:
      'The status does not allow the transition, the external id is taken or reserved, or a request with this `Idempotency-Key` is in progress',
    appliesTo: ({ type }) => type === 'mutation',
  },
  410: { description: 'The cursor is from a time that the database lost when it was restored' },
  412: {
    description:
      'The entity tag of the resource is not in `If-Match`, or the resource exists despite `If-None-Match: *`',
    appliesTo: ({ targetsItem }) => targetsItem,
  },
  413: { description: 'The body is larger than the operation allows', appliesTo: takesBody },
  415: { description: 'The `Content-Type` is not one that the operation takes', appliesTo: takesBody },
  416: {
    description: 'The `Range` begins beyond the end of the content; `Content-Range` has its size',
    appliesTo: ({ response }) => response.kind === 'bytes',
  },
  421: {
    description: 'The company of the API key was moved to another cell, whose address is in the message',
    appliesTo: everyRoute,
  },
  422: {
    description:
      'A referenced id is unknown or unusable, fields contradict each other, or the `Idempotency-Key` belongs to a different request',
    appliesTo: ({ type }) => type === 'mutation',
  },
  429: {
    description: 'The API key or the company exceeded its rate limit, or too many attempts from this address failed',
    appliesTo: everyRoute,
  },
  500: { description: 'Internal error of the service', appliesTo: everyRoute },
  503: { description: 'The database is unavailable, or the service is overloaded', appliesTo: everyRoute },
};

/** Maximum length of an error message. */
const MAX_MESSAGE_LENGTH = 2000;

const ERROR_DESCRIPTION = 'A message for people. It names the field.';

/** Schema of an error body, unless the client accepts problem details. */
export const errorSchema: oas31.SchemaObject = {
  type: 'object',
  description: 'Body of every error. Programs read the status and `X-Error-Code`.',
  properties: {
    error: {
      type: 'string',
      description: ERROR_DESCRIPTION,
      maxLength: MAX_MESSAGE_LENGTH,
      examples: [EXAMPLE_MESSAGES.invalid_request],
    },
  },
  required: ['error'],
  additionalProperties: false,
};

/** Schema of an error body with `Accept: application/problem+json`. */
export const problemSchema: oas31.SchemaObject = {
  type: 'object',
  description: 'Problem details (RFC 9457), sent with `Accept: application/problem+json`.',
  properties: {
    type: {
      type: 'string',
      const: 'about:blank',
      description: 'Always this value: `code` has the kind of the problem',
    },
    title: { type: 'string', description: 'Reason phrase of the status', maxLength: 64 },
    status: { type: 'integer', description: 'Status of the response', format: 'int32', minimum: 400, maximum: 599 },
    detail: { type: 'string', description: 'Same as `error`', maxLength: MAX_MESSAGE_LENGTH },
    instance: {
      type: 'string',
      format: 'uri',
      description: 'Request id as a URN, if it is a UUID',
      maxLength: 45,
    },
    code: { type: 'string', enum: ERROR_CODES, description: 'Same as `X-Error-Code`' },
    error: { type: 'string', description: ERROR_DESCRIPTION, maxLength: MAX_MESSAGE_LENGTH },
  },
  required: ['type', 'title', 'status', 'detail', 'code', 'error'],
  additionalProperties: false,
};

/** Builds the shared error responses, with an example for each reason. */
export const errorComponents = (): oas31.ResponsesObject =>
  Object.fromEntries(
    Object.entries(STATUSES).map(([status, { description }]) => [status, errorResponse(Number(status), description)]),
  );

/** Returns the errors of an operation as references. Deprecated operations have additional headers, so theirs are inline. */
export const errorResponsesFor = (route: Route): oas31.ResponsesObject =>
  Object.fromEntries(
    Object.entries(STATUSES)
      .filter(([code, status]) => status.appliesTo?.(route) === true || route.errorStatuses.includes(Number(code)))
      .map(([status, { description }]) => [
        status,
        route.deprecationHeaders === undefined
          ? { $ref: `#/components/responses/${status}` }
          : errorResponse(Number(status), description, route),
      ]),
  );

const errorResponse = (status: number, description: string, route?: Route): oas31.ResponseObject => ({
  description,
  headers: responseHeadersFor({ status, ...(route !== undefined && { route }) }),
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/Error' },
      examples: errorExamples(status, ({ message }) => ({ error: message })),
    },
    [PROBLEM_MEDIA_TYPE]: {
      schema: { $ref: '#/components/schemas/Problem' },
      examples: errorExamples(status, (apiError) => problemDetails(status, apiError, EXAMPLE_REQUEST_ID)),
    },
  },
});

function errorExamples(
  status: number,
  toBody: (apiError: { code: ErrorCode; message: string }) => object,
): oas31.ExamplesObject {
  const reasons = PROCEDURE_REASONS.filter((reason) => ERRORS[reason].status === status);
  return Object.fromEntries(
    reasons.map((reason) => {
      const code = codeOf(reason);
      return [code, { value: toBody({ code, message: EXAMPLE_MESSAGES[reason] }) }];
    }),
  );
}
