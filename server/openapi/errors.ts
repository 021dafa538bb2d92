import type { oas31 } from 'zod-openapi';
import { codeOf } from '../../entities/api-error.ts';
import type { ErrorCode, ErrorReason } from '../../entities/api-error.ts';
import { ERRORS, REASONS } from '../../procedures/core/errors.ts';
import { PROBLEM_MEDIA_TYPE, problemDetails } from '../http/problem-details.ts';
import type { Route } from '../rest/routes.ts';
import { EXAMPLE_REQUEST_ID, responseHeadersFor } from './response-headers.ts';

interface Status {
  description: string;
  /** Which operations answer it. */
  appliesTo(route: Route): boolean;
}

const everyRoute = () => true;
const noRoute = () => false;

/** Every status of an error, and which operations answer it. One line makes a status known to the document, and to the tests. */
const STATUSES: Readonly<Record<number, Status>> = {
  400: { description: 'Malformed JSON, a wrong type or value, a missing or unknown field', appliesTo: everyRoute },
  401: { description: 'The key is missing, invalid, disabled, expired or revoked', appliesTo: everyRoute },
  403: {
    description: 'The key lacks the right to this, or may not be used for this framework or from this address',
    appliesTo: ({ permission }) => permission !== undefined,
  },
  404: {
    description: 'No such path, or no such id in the company of the key',
    appliesTo: ({ pathParameters }) => pathParameters.length > 0,
  },
  // It belongs to a path and not to an operation, so that none lists it.
  405: { description: 'The path does not take this verb', appliesTo: noRoute },
  409: {
    description:
      'The state does not permit the transition, or a request with this `Idempotency-Key` is being carried out',
    appliesTo: ({ type }) => type === 'mutation',
  },
  412: { description: 'The resource has none of the tags in `If-Match`', appliesTo: ({ targetsItem }) => targetsItem },
  413: { description: 'The body is larger than 256 KiB', appliesTo: ({ hasBody }) => hasBody },
  415: { description: 'The body is not `application/json`', appliesTo: ({ hasBody }) => hasBody },
  422: {
    description:
      'Refers to what is not there or may not be used, breaks a rule over several fields, or the `Idempotency-Key` was used for another request',
    appliesTo: ({ type }) => type === 'mutation',
  },
  429: {
    description: 'The key has made too many requests, or too many attempts from this address have failed',
    appliesTo: everyRoute,
  },
  500: { description: 'A fault of the service', appliesTo: everyRoute },
  503: { description: 'The database cannot be reached, or the service is overloaded', appliesTo: everyRoute },
};

/** What each reason may say. */
const EXAMPLE_MESSAGES: Readonly<Record<ErrorReason, string>> = {
  invalid_request: 'priority: expected an integer from 1 to 4',
  malformed_json: 'The body is not JSON in UTF-8.',
  unauthorized: 'X-API-Key: not a valid key',
  key_disabled: 'X-API-Key: the key is disabled',
  key_expired: 'X-API-Key: the key has expired',
  forbidden: 'scope: the key lacks task:write',
  not_found: 'task: not found',
  method_not_allowed: 'This path takes GET, HEAD.',
  precondition_failed: 'If-Match: this was changed since; read it again',
  idempotency_conflict: 'Idempotency-Key: a request with it is being carried out',
  idempotency_key_reused: 'Idempotency-Key: was used for another request',
  conflict: 'status: done cannot become in_review; reopen it with todo first',
  payload_too_large: 'The body is larger than 262144 bytes.',
  unsupported_media_type: 'Content-Type: expected application/json',
  unprocessable: 'departmentId: no such department, or it is archived',
  internal: 'Something went wrong on our side.',
  rate_limited: 'Too many requests: a key may make 600 in 60 s. Try again in 12 s.',
  unavailable: 'The database cannot serve this now. Try again shortly.',
};

/** No message is longer. */
export const MAX_MESSAGE_LENGTH = 2000;

/** The body of every error, unless a problem is asked for. */
export const errorSchema: oas31.SchemaObject = {
  type: 'object',
  description: 'What is wrong, for a person. It names the field.',
  properties: {
    error: { type: 'string', maxLength: MAX_MESSAGE_LENGTH, examples: [EXAMPLE_MESSAGES.invalid_request] },
  },
  required: ['error'],
  additionalProperties: false,
};

/** The answers of each status, with an example for each reason: what operations refer to. */
export const errorComponents = (): oas31.ResponsesObject =>
  Object.fromEntries(
    Object.entries(STATUSES).map(([status, { description }]) => [status, errorResponse(Number(status), description)]),
  );

/** The errors of an operation: by reference, unless its own headers make them its own. */
export const errorResponsesFor = (route: Route): oas31.ResponsesObject =>
  Object.fromEntries(
    Object.entries(STATUSES)
      .filter(([, status]) => status.appliesTo(route))
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
  const reasons = REASONS.filter((reason) => ERRORS[reason].status === status);
  return Object.fromEntries(
    reasons.map((reason) => {
      const code = codeOf(reason);
      return [code, { value: toBody({ code, message: EXAMPLE_MESSAGES[reason] }) }];
    }),
  );
}
