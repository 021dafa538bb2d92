import type { Context } from 'koa';
import type { ApiError } from '../../entities/api-error.ts';
import { STATUS_CODES } from './node-http.ts';

/** The media type of RFC 9457. */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

const PROBLEM_PATTERN = /application\/problem\+json/i;
/** The target as it was sent: a path, or a whole URL, which need not be one that can be read. */
const EXTERNAL_TARGET = /^(?:https?:\/\/[^/?#]*)?\/external(?:[/?#]|$)/;
const UUID_PATTERN = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Whether errors are to be told as problems: `Accept` names that type itself, and prefers it to plain JSON. */
export function acceptsProblemDetails(ctx: Context): boolean {
  return (
    PROBLEM_PATTERN.test(ctx.get('Accept')) &&
    EXTERNAL_TARGET.test(ctx.req.url ?? '') &&
    ctx.accepts('application/json', PROBLEM_MEDIA_TYPE) === PROBLEM_MEDIA_TYPE
  );
}

/** The body of RFC 9457 for a refusal, with the contract's `error` and code beside it. */
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
