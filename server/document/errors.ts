import type { oas31 } from 'zod-openapi';
import { codeOf } from '../../entities/refusal.ts';
import type { ErrorCode, ErrorReason } from '../../entities/refusal.ts';
import { ERRORS, REASONS } from '../../procedures/errors.ts';
import { PROBLEM, problemOf } from '../problem.ts';
import type { Route } from '../routes.ts';
import { REQUEST_ID, headersOn } from './headers.ts';

interface Status {
  description: string;
  /** Which operations answer it. */
  on(route: Route): boolean;
}

const everywhere = () => true;
const nowhere = () => false;

/** Every status of an error, and which operations answer it. One line makes a status known to the document, and to the tests. */
const STATUSES: Readonly<Record<number, Status>> = {
  400: { description: 'Malformed JSON, a wrong type or value, a missing or unknown field', on: everywhere },
  401: { description: 'The key is missing, invalid, disabled, expired or revoked', on: everywhere },
  403: {
    description: 'The key lacks the right to this, or may not be used for this framework or from this address',
    on: ({ right }) => right !== undefined,
  },
  404: {
    description: 'No such path, or no such id in the company of the key',
    on: ({ pathParameters }) => pathParameters.length > 0,
  },
  // It belongs to a path and not to an operation, so that none lists it.
  405: { description: 'The path does not take this verb', on: nowhere },
  409: {
    description:
      'The state does not permit the transition, or a request with this `Idempotency-Key` is being carried out',
    on: ({ type }) => type === 'mutation',
  },
  412: { description: 'The resource has none of the tags in `If-Match`', on: ({ isOfOne }) => isOfOne },
  413: { description: 'The body is larger than 256 KiB', on: ({ takesBody }) => takesBody },
  415: { description: 'The body is not `application/json`', on: ({ takesBody }) => takesBody },
  422: {
    description:
      'Refers to what is not there or may not be used, breaks a rule over several fields, or the `Idempotency-Key` was used for another request',
    on: ({ type }) => type === 'mutation',
  },
  429: {
    description: 'The key has made too many requests, or too many attempts from this address have failed',
    on: everywhere,
  },
  500: { description: 'A fault of the service', on: everywhere },
  503: { description: 'The database cannot be reached, or the service is overloaded', on: everywhere },
};

/** What each reason may say. */
const MESSAGES: Readonly<Record<ErrorReason, string>> = {
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
export const MESSAGE_LENGTH = 2000;

/** The body of every error, unless a problem is asked for. */
export const errorSchema: oas31.SchemaObject = {
  type: 'object',
  description: 'What is wrong, for a person. It names the field.',
  properties: { error: { type: 'string', maxLength: MESSAGE_LENGTH, examples: [MESSAGES.invalid_request] } },
  required: ['error'],
  additionalProperties: false,
};

/** The answers of each status, with an example for each reason: what operations refer to. */
export const errorComponents = (): oas31.ResponsesObject =>
  Object.fromEntries(
    Object.entries(STATUSES).map(([status, { description }]) => [status, errorOf(Number(status), description)]),
  );

/** The errors of an operation: by reference, unless its own headers make them its own. */
export const errorsOf = (route: Route): oas31.ResponsesObject =>
  Object.fromEntries(
    Object.entries(STATUSES)
      .filter(([, status]) => status.on(route))
      .map(([status, { description }]) => [
        status,
        route.notices === undefined
          ? { $ref: `#/components/responses/${status}` }
          : errorOf(Number(status), description, route),
      ]),
  );

const errorOf = (status: number, description: string, route?: Route): oas31.ResponseObject => ({
  description,
  headers: headersOn({ status, ...(route !== undefined && { route }) }),
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/Error' },
      examples: examplesOf(status, ({ message }) => ({ error: message })),
    },
    [PROBLEM]: {
      schema: { $ref: '#/components/schemas/Problem' },
      examples: examplesOf(status, (refusal) => problemOf(status, refusal, REQUEST_ID)),
    },
  },
});

function examplesOf(
  status: number,
  bodyOf: (refusal: { code: ErrorCode; message: string }) => object,
): oas31.ExamplesObject {
  const reasons = REASONS.filter((reason) => ERRORS[reason].status === status);
  return Object.fromEntries(
    reasons.map((reason) => {
      const code = codeOf(reason);
      return [code, { value: bodyOf({ code, message: MESSAGES[reason] }) }];
    }),
  );
}
