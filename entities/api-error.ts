import { redactRawKeys } from './api-key/raw-key.ts';

/** Machine-readable reasons, as the header `X-Error-Code` gives them. Contract, section 2. */
export type ErrorCode =
  | 'invalid_request'
  | 'malformed_json'
  | 'unauthorized'
  | 'key_disabled'
  | 'key_expired'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'unsupported_media_type'
  | 'payload_too_large'
  | 'conflict'
  | 'precondition_failed'
  | 'unprocessable'
  | 'idempotency_conflict'
  | 'rate_limited'
  | 'internal'
  | 'unavailable';

/** Rows of the table of errors: codes, and the one case in which a code has another status. */
export type ErrorReason = ErrorCode | 'idempotency_key_reused';

export const codeOf = (reason: ErrorReason): ErrorCode =>
  reason === 'idempotency_key_reused' ? 'idempotency_conflict' : reason;

/**
 * An error returned to the client. `message` names the field; raw keys that the client sent are redacted in it. `cause` is only
 * logged.
 */
export class ApiError extends Error {
  readonly reason: ErrorReason;
  readonly code: ErrorCode;
  /** Seconds after which it is worth asking again, where that is known. */
  readonly retryAfter: number | undefined;

  constructor(reason: ErrorReason, message: string, options?: ErrorOptions & { retryAfter?: number }) {
    super(redactRawKeys(message), options);
    this.name = 'ApiError';
    this.reason = reason;
    this.code = codeOf(reason);
    this.retryAfter = options?.retryAfter;
  }
}

/** One answer for what is not there, is another company's, or could not be an id at all. */
export const notFound = (resource: string) => new ApiError('not_found', `${resource}: not found`);
