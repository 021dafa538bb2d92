import { TRPCError } from '@trpc/server';
import type { TRPC_ERROR_CODE_KEY } from '@trpc/server/rpc';
import { ZodError } from 'zod';
import { asRefusal } from '../entities/database/failure.ts';
import { Refusal, codeOf } from '../entities/refusal.ts';
import type { ErrorCode, ErrorReason } from '../entities/refusal.ts';

/** The one table of errors: what each is called over tRPC and which HTTP status it has. Contract, section 2. */
export const ERRORS: Record<ErrorReason, { status: number; trpc: TRPC_ERROR_CODE_KEY }> = {
  invalid_request: { status: 400, trpc: 'BAD_REQUEST' },
  malformed_json: { status: 400, trpc: 'PARSE_ERROR' },
  unauthorized: { status: 401, trpc: 'UNAUTHORIZED' },
  key_disabled: { status: 401, trpc: 'UNAUTHORIZED' },
  key_expired: { status: 401, trpc: 'UNAUTHORIZED' },
  forbidden: { status: 403, trpc: 'FORBIDDEN' },
  not_found: { status: 404, trpc: 'NOT_FOUND' },
  method_not_allowed: { status: 405, trpc: 'METHOD_NOT_SUPPORTED' },
  conflict: { status: 409, trpc: 'CONFLICT' },
  idempotency_conflict: { status: 409, trpc: 'CONFLICT' },
  precondition_failed: { status: 412, trpc: 'PRECONDITION_FAILED' },
  payload_too_large: { status: 413, trpc: 'PAYLOAD_TOO_LARGE' },
  unsupported_media_type: { status: 415, trpc: 'UNSUPPORTED_MEDIA_TYPE' },
  unprocessable: { status: 422, trpc: 'UNPROCESSABLE_CONTENT' },
  idempotency_key_reused: { status: 422, trpc: 'UNPROCESSABLE_CONTENT' },
  rate_limited: { status: 429, trpc: 'TOO_MANY_REQUESTS' },
  internal: { status: 500, trpc: 'INTERNAL_SERVER_ERROR' },
  unavailable: { status: 503, trpc: 'SERVICE_UNAVAILABLE' },
};

/** Issues beyond these are not told; the caller mends what is told first. */
const ISSUES_TOLD = 5;
/** Maximum length of a field's name in a message: clients choose the names of unknown fields. */
const FIELD_LENGTH = 100;

/** What any error thrown on the way of a request means to the caller. Whatever is not known is `internal`, without detail. */
export function refusalOf(error: unknown): Refusal {
  const cause = error instanceof TRPCError ? (error.cause ?? error) : error;
  const known = asRefusal(cause);
  if (known !== undefined) return known;
  if (error instanceof TRPCError && error.code === 'BAD_REQUEST' && cause instanceof ZodError) {
    return new Refusal('invalid_request', explain(cause), { cause });
  }
  if (error instanceof TRPCError && error.code !== 'INTERNAL_SERVER_ERROR') {
    const reason = REASONS.find((name) => ERRORS[name].trpc === error.code);
    if (reason !== undefined) return new Refusal(reason, oneLine(error.message), { cause });
  }
  return new Refusal('internal', 'Something went wrong on our side.', { cause: error });
}

/** Every reason of that table. */
export const REASONS = Object.keys(ERRORS).filter((name): name is ErrorReason => name in ERRORS);

/** Every value of `X-Error-Code`. */
export const CODES: ErrorCode[] = [...new Set(REASONS.map(codeOf))];

/** One line of `field: what was expected`, with the first issue of each field. */
function explain(error: ZodError): string {
  const lines = new Map<string, string>();
  for (const issue of error.issues) {
    const path = issue.path.map(String);
    const named = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...path, key]) : [path];
    for (const field of named.map((parts) => oneLine(parts.join('.'), FIELD_LENGTH))) {
      const message = issue.code === 'unrecognized_keys' ? 'unknown field' : issue.message;
      if (!lines.has(field)) lines.set(field, field === '' ? message : `${field}: ${message}`);
    }
  }
  return [...lines.values()].slice(0, ISSUES_TOLD).join('; ');
}

/** Text that is safe in a message: without line breaks and of a bounded length. */
const oneLine = (text: string, most = 200) => text.replaceAll(/[\p{Cc}\p{Cs}]+/gu, ' ').slice(0, most);
