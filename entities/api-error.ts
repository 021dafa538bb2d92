import { redactSecrets } from './api-key/raw-key.ts';

/** Values of the header `X-Error-Code`. Contract, section 2. */
export type ErrorCode =
  | 'invalid_request'
  | 'malformed_json'
  | 'unauthorized'
  | 'second_factor_required'
  | 'key_disabled'
  | 'key_expired'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'unsupported_media_type'
  | 'payload_too_large'
  | 'conflict'
  | 'cursor_lost'
  | 'precondition_failed'
  | 'range_not_satisfiable'
  | 'misdirected'
  | 'unprocessable'
  | 'idempotency_conflict'
  | 'rate_limited'
  | 'internal'
  | 'unavailable';

/** Rows of the error table: the codes, and the one reason that shares a code but has another status. */
export type ErrorReason = ErrorCode | 'idempotency_key_reused';

export const codeOf = (reason: ErrorReason): ErrorCode =>
  reason === 'idempotency_key_reused' ? 'idempotency_conflict' : reason;

/** An error returned to the client. `message` names the field, with raw keys redacted. `cause` is only logged. */
export class ApiError extends Error {
  readonly reason: ErrorReason;
  readonly code: ErrorCode;
  /** Seconds after which the client may retry, if known. */
  readonly retryAfter: number | undefined;

  constructor(reason: ErrorReason, message: string, options?: ErrorOptions & { retryAfter?: number }) {
    super(redactSecrets(message), options);
    this.name = 'ApiError';
    this.reason = reason;
    this.code = codeOf(reason);
    this.retryAfter = options?.retryAfter;
  }
}

/** Message for a company that another cell has. @param url of that cell */
export const movedMessage = (url: string) => `The company was moved to ${url}.`;

/** The error for what belongs to a company that was moved away. https://www.rfc-editor.org/rfc/rfc9110#section-15.5.20 */
export const misdirected = (url: string) => new ApiError('misdirected', movedMessage(url));

/** The same error for unknown ids, ids of other companies and malformed ids. */
export const notFound = (resource: string) => new ApiError('not_found', `${resource}: not found`);

/** @throws ApiError 404 without a row */
export function found<Row>(row: Row | undefined, resource: string): Row {
  if (row === undefined) throw notFound(resource);
  return row;
}
