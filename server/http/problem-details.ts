import type { Context } from 'koa';
import type { ApiError } from '../../entities/api-error.ts';
import { STATUS_CODES } from './node-http.ts';

/** Media type of problem details (RFC 9457). */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

const PROBLEM_PATTERN = /application\/problem\+json/i;
/** Request target as the client sent it: a path or an absolute URL, possibly malformed. */
const EXTERNAL_TARGET = /^(?:https?:\/\/[^/?#]*)?\/external(?:[/?#]|$)/;
const UUID_PATTERN = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Returns true if `Accept` names the problem media type explicitly and prefers it to plain JSON. */
export function acceptsProblemDetails(ctx: Context): boolean {
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
