import type { Context, Middleware, ParameterizedContext } from 'koa';
import type { Logger } from 'pino';
import { ApiError } from '../../entities/api-error.ts';
import { ERRORS, toApiError } from '../../procedures/core/errors.ts';
import type { RequestState } from './request-state.ts';
import { STATUS_CODES } from './node-http.ts';

/** How to authenticate (RFC 9110, section 11.6.1). */
export const CHALLENGES = 'ApiKey realm="external", header="X-API-Key", Bearer realm="external"';

/** Headers of every error response with one of these statuses, on every transport (docs/contract.md). */
const STATUS_HEADERS: Readonly<Record<number, Record<string, string>>> = {
  401: { 'WWW-Authenticate': CHALLENGES },
  503: { 'Retry-After': '1' },
};

export const errorHeaders = ({ reason, retryAfter }: ApiError): Record<string, string> =>
  retryAfter === undefined ? (STATUS_HEADERS[ERRORS[reason].status] ?? {}) : { 'Retry-After': String(retryAfter) };

/** Media type of problem details (RFC 9457). */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

const PROBLEM_PATTERN = /application\/problem\+json/i;
/** Request target as the client sent it: a path or an absolute URL, possibly malformed. */
const EXTERNAL_TARGET = /^(?:https?:\/\/[^/?#]*)?\/external(?:[/?#]|$)/;
const UUID_PATTERN = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Returns true if `Accept` names the problem media type explicitly and prefers it to plain JSON. */
function acceptsProblemDetails(ctx: Context): boolean {
  return (
    PROBLEM_PATTERN.test(ctx.get('Accept')) &&
    EXTERNAL_TARGET.test(ctx.req.url ?? '') &&
    ctx.accepts('application/json', PROBLEM_MEDIA_TYPE) === PROBLEM_MEDIA_TYPE
  );
}

/** Creates a problem details body (RFC 9457) for an error, with `error` and `code` as extension members. */
export const problemDetails = (
  status: number,
  { code, message }: Pick<ApiError, 'code' | 'message'>,
  requestId: string,
) => ({
  type: 'about:blank',
  title: STATUS_CODES[status],
  status,
  detail: message,
  ...(UUID_PATTERN.test(requestId) && { instance: `urn:uuid:${requestId}` }),
  code,
  error: message,
});

/** Turns every error thrown by a later middleware into a status and `{error}`. No other middleware does that. */
export function errorHandler(log: Logger): Middleware<RequestState> {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const apiError = setError(ctx, log, error);
      const isProblem = acceptsProblemDetails(ctx);
      if (isProblem) ctx.set('Content-Type', PROBLEM_MEDIA_TYPE);
      else ctx.type = 'application/json';
      ctx.body = JSON.stringify(
        isProblem ? problemDetails(ctx.status, apiError, ctx.state.requestId) : { error: apiError.message },
      );
    }
  };
}

/** Logs an error, and sets the status and the headers of its response, but not the body. */
export function setError(ctx: ParameterizedContext<RequestState>, log: Logger, error: unknown): ApiError {
  const apiError = toApiError(error);
  noteError(log, ctx.state, apiError);
  ctx.status = ERRORS[apiError.reason].status;
  ctx.set('X-Error-Code', apiError.code);
  for (const [name, value] of Object.entries(errorHeaders(apiError)))
    if (!ctx.res.hasHeader(name)) ctx.set(name, value);
  return apiError;
}

/**
 * Keeps the code of the first error of a request. Logs 500s, and the 503s that have a cause, with that cause. Client errors are not
 * logged, nor are shed requests, because logging each of them would add to the overload.
 */
export function noteError(log: Logger, state: RequestState, { code, message, cause }: ApiError): void {
  state.errorCode ??= code;
  const { requestId } = state;
  if (code === 'internal') log.error({ requestId, err: cause }, 'request: failed');
  if (code === 'unavailable' && cause !== undefined)
    log.warn({ requestId, reason: message, err: withoutStack(cause) }, 'request: service unavailable');
}

/** Removes the stack: during a database outage every request would log the same one. */
const withoutStack = (cause: unknown): unknown =>
  cause instanceof Error
    ? { type: cause.name, message: cause.message, code: 'code' in cause ? cause.code : undefined }
    : cause;

/** Creates the 404 error for an unknown path. */
export const noSuchPath = () => new ApiError('not_found', 'No such path. The paths are documented at /docs.');

/** Returns true for the safe methods that the service supports (RFC 9110, section 9.2.1). */
export const isSafeMethod = (method: string): boolean => method === 'GET' || method === 'HEAD';

/** @throws ApiError 405 unless the method is GET or HEAD */
export function requireSafeMethod(ctx: Context): void {
  if (!isSafeMethod(ctx.method)) throw methodNotAllowed(ctx, ['GET', 'HEAD']);
}

/** Creates the 405 error for a path that takes other methods. */
export function methodNotAllowed(ctx: Context, methods: readonly string[]): ApiError {
  const allow = methods.join(', ');
  ctx.set('Allow', allow);
  return new ApiError('method_not_allowed', `This path takes ${allow}.`);
}
