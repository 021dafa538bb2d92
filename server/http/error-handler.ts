import type { Context, Middleware } from 'koa';
import type { Logger } from 'pino';
import type { Principal } from '../../entities/principal.ts';
import { ApiError } from '../../entities/api-error.ts';
import { ERRORS, toApiError } from '../../procedures/core/errors.ts';
import { PROBLEM_MEDIA_TYPE, problemDetails, acceptsProblemDetails } from './problem-details.ts';
import type { ConcurrencyLimit } from './load-shedding.ts';

/** What a request carries from its first middleware on. */
export interface RequestState {
  requestId: string;
  /** The pattern of its path, as far as it is known. */
  route?: string;
  /** Who asks, once that is known; null for the operator outside any company. */
  principal?: Pick<Principal, 'company' | 'key'> | null;
  /** The trace that it is part of, where traces are made. */
  traceId?: string;
  /** Where it has a place, where places are counted. */
  slot?: ConcurrencyLimit;
}

/** Headers that a refusal with one of these statuses carries, whichever road it takes. Contract, section 2. */
const STATUS_HEADERS: Readonly<Record<number, Record<string, string>>> = {
  401: { 'WWW-Authenticate': 'ApiKey realm="external", header="X-API-Key"' },
  503: { 'Retry-After': '1' },
};

export const errorHeaders = ({ reason, retryAfter }: ApiError): Record<string, string> =>
  retryAfter === undefined ? (STATUS_HEADERS[ERRORS[reason].status] ?? {}) : { 'Retry-After': String(retryAfter) };

/** The one try/catch: whatever is thrown below becomes a status and `{error}`. */
export function errorHandler(log: Logger): Middleware<RequestState> {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const apiError = toApiError(error);
      logError(log, ctx.state.requestId, apiError);
      ctx.status = ERRORS[apiError.reason].status;
      ctx.set('X-Error-Code', apiError.code);
      for (const [name, value] of Object.entries(errorHeaders(apiError)))
        if (!ctx.res.hasHeader(name)) ctx.set(name, value);
      const isProblem = acceptsProblemDetails(ctx);
      if (isProblem) ctx.set('Content-Type', PROBLEM_MEDIA_TYPE);
      else ctx.type = 'application/json';
      ctx.body = JSON.stringify(
        isProblem ? problemDetails(ctx.status, apiError, ctx.state.requestId) : { error: apiError.message },
      );
    }
  };
}

/**
 * Faults of ours, of the database and of what else we ask go to the log with their cause; what the caller did wrong does not,
 * nor what was refused because there is too much of it: that would only make more.
 */
export function logError(log: Logger, requestId: string, { code, cause }: ApiError): void {
  if (code === 'internal') log.error({ requestId, err: cause }, 'a request failed');
  if (code === 'unavailable' && cause !== undefined)
    log.warn({ requestId, err: withoutStack(cause) }, 'a request could not be served');
}

/** Without a stack: while a database is away there would be one for each request, and all of them the same. */
const withoutStack = (cause: unknown): unknown =>
  cause instanceof Error
    ? { type: cause.name, message: cause.message, code: 'code' in cause ? cause.code : undefined }
    : cause;

/** The 404 of a path that does not exist. */
export const noSuchPath = () => new ApiError('not_found', 'No such path. The paths are documented at /docs.');

/** Whether a request by this method changes nothing. */
export const isSafeMethod = (method: string): boolean => method === 'GET' || method === 'HEAD';

/** @throws Refusal 405 for what would not only read */
export function requireSafeMethod(ctx: Context): void {
  if (isSafeMethod(ctx.method)) return;
  ctx.set('Allow', 'GET, HEAD');
  throw new ApiError('method_not_allowed', 'This path takes GET, HEAD.');
}
