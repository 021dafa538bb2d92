import { TRPCError } from '@trpc/server';
import type { TRPC_ERROR_CODE_KEY } from '@trpc/server/rpc';
import { ZodError } from 'zod';
import type { z } from 'zod';
import { asApiError } from '../../database/errors.ts';
import { ApiError, codeOf } from '../../entities/api-error.ts';
import type { ErrorCode, ErrorReason } from '../../entities/api-error.ts';
import { redactSecrets } from '../../entities/api-key/raw-key.ts';
import { unknownFieldsOf } from '../schemas/unknown-fields.ts';

/** HTTP status and tRPC code of each error reason. See docs/contract.md, section 2. */
export const ERRORS: Record<ErrorReason, { status: number; trpcCode: TRPC_ERROR_CODE_KEY }> = {
  invalid_request: { status: 400, trpcCode: 'BAD_REQUEST' },
  malformed_json: { status: 400, trpcCode: 'PARSE_ERROR' },
  unauthorized: { status: 401, trpcCode: 'UNAUTHORIZED' },
  second_factor_required: { status: 401, trpcCode: 'UNAUTHORIZED' },
  key_disabled: { status: 401, trpcCode: 'UNAUTHORIZED' },
  key_expired: { status: 401, trpcCode: 'UNAUTHORIZED' },
  forbidden: { status: 403, trpcCode: 'FORBIDDEN' },
  not_found: { status: 404, trpcCode: 'NOT_FOUND' },
  method_not_allowed: { status: 405, trpcCode: 'METHOD_NOT_SUPPORTED' },
  conflict: { status: 409, trpcCode: 'CONFLICT' },
  idempotency_conflict: { status: 409, trpcCode: 'CONFLICT' },
  cursor_lost: { status: 410, trpcCode: 'NOT_FOUND' },
  precondition_failed: { status: 412, trpcCode: 'PRECONDITION_FAILED' },
  payload_too_large: { status: 413, trpcCode: 'PAYLOAD_TOO_LARGE' },
  unsupported_media_type: { status: 415, trpcCode: 'UNSUPPORTED_MEDIA_TYPE' },
  range_not_satisfiable: { status: 416, trpcCode: 'BAD_REQUEST' },
  misdirected: { status: 421, trpcCode: 'BAD_REQUEST' },
  unprocessable: { status: 422, trpcCode: 'UNPROCESSABLE_CONTENT' },
  idempotency_key_reused: { status: 422, trpcCode: 'UNPROCESSABLE_CONTENT' },
  rate_limited: { status: 429, trpcCode: 'TOO_MANY_REQUESTS' },
  internal: { status: 500, trpcCode: 'INTERNAL_SERVER_ERROR' },
  unavailable: { status: 503, trpcCode: 'SERVICE_UNAVAILABLE' },
};

/** Maximum number of validation issues in a message. */
const MAX_ISSUES = 5;
/** Maximum length of a field name in a message. Clients choose the names of unknown fields. */
const MAX_FIELD_LENGTH = 100;
/** Maximum length of the message of an error that tRPC throws. */
const MAX_MESSAGE_LENGTH = 200;

/** Maps any error thrown during a request to the error that the client receives. Unknown errors become `internal`, without details. */
export function toApiError(error: unknown): ApiError {
  const cause = error instanceof TRPCError ? (error.cause ?? error) : error;
  const apiError = asApiError(cause);
  if (apiError !== undefined) return apiError;
  if (error instanceof TRPCError && error.code === 'BAD_REQUEST' && cause instanceof ZodError) {
    return new ApiError('invalid_request', formatIssues(cause), { cause });
  }
  if (error instanceof TRPCError && error.code !== 'INTERNAL_SERVER_ERROR') {
    const reason = REASONS.find((name) => ERRORS[name].trpcCode === error.code);
    if (reason !== undefined) return new ApiError(reason, oneLine(error.message, MAX_MESSAGE_LENGTH), { cause });
  }
  return new ApiError('internal', 'Something went wrong on our side.', { cause: error });
}

/** Validates input outside of a procedure. @throws ApiError 400 that names the fields */
export function parseInput<Output>(schema: z.ZodType<Output>, input: unknown): Output {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new ApiError('invalid_request', formatIssues(parsed.error), { cause: parsed.error });
}

/** All error reasons. */
export const REASONS = Object.keys(ERRORS).filter((name): name is ErrorReason => name in ERRORS);

/** Reasons of procedures. Only the sign-in requires a second factor, and it is not a procedure. */
export const PROCEDURE_REASONS = REASONS.filter((reason) => reason !== 'second_factor_required');

/** All values of `X-Error-Code` of procedures. */
export const ERROR_CODES: ProcedureErrorCode[] = [
  ...new Set(PROCEDURE_REASONS.map((reason) => procedureCode(codeOf(reason)))),
];

export type ProcedureErrorCode = Exclude<ErrorCode, 'second_factor_required'>;

/** Code of an error of a procedure. */
export function procedureCode(code: ErrorCode): ProcedureErrorCode {
  if (code === 'second_factor_required') throw new Error(`${code}: expected the code of a procedure`);
  return code;
}

/** Top-level field of the first issue, without secrets; empty if the issue concerns the whole input. */
export function firstFieldOf({ issues: [issue] }: ZodError): string {
  const names = issue?.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys] : issue?.path;
  return fieldName(redactSecrets(String(names?.[0] ?? '')));
}

/**
 * Formats issues as `field: expectation; field: expectation`, with the first issue of each field.
 * @param suffixOf text after the expectation of a field
 */
export function formatIssues(error: ZodError, suffixOf: (path: readonly PropertyKey[]) => string = () => ''): string {
  const lines = new Map<string, string>();
  for (const issue of error.issues) {
    const messages =
      issue.code === 'unrecognized_keys'
        ? [...unknownFieldsOf(issue)].map(([key, message]) => ({ path: [...issue.path, key], message }))
        : [issue];
    for (const { path, message } of messages) {
      const field = fieldName(path.map(String).join('.'));
      if (!lines.has(field)) lines.set(field, (field === '' ? message : `${field}: ${message}`) + suffixOf(path));
    }
  }
  return [...lines.values()].slice(0, MAX_ISSUES).join('; ');
}

/** Name of a field that a client chose, for a message. */
export const fieldName = (text: string): string => oneLine(text, MAX_FIELD_LENGTH);

/** Replaces control characters and lone surrogates by spaces, and truncates the text between characters. */
export const oneLine = (text: string, maxLength: number) =>
  text
    .replaceAll(/[\p{Cc}\p{Cs}]+/gu, ' ')
    .slice(0, maxLength)
    .replace(/\p{Cs}$/u, ' ');
