import type { Context } from 'koa';
import type { Refusal } from '../entities/refusal.ts';
import { STATUS_CODES } from './node-http.ts';

/** The media type of RFC 9457. */
export const PROBLEM = 'application/problem+json';

const NAMED = /application\/problem\+json/i;
/** The target as it was sent: a path, or a whole URL, which need not be one that can be read. */
const BELOW_EXTERNAL = /^(?:https?:\/\/[^/?#]*)?\/external(?:[/?#]|$)/;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Whether errors are to be told as problems: `Accept` names that type itself, and prefers it to plain JSON. */
export function wantsProblem(ctx: Context): boolean {
  return (
    NAMED.test(ctx.get('Accept')) &&
    BELOW_EXTERNAL.test(ctx.req.url ?? '') &&
    ctx.accepts('application/json', PROBLEM) === PROBLEM
  );
}

/** The body of RFC 9457 for a refusal, with the contract's `error` and code beside it. */
export const problemOf = (status: number, { code, message }: Pick<Refusal, 'code' | 'message'>, requestId: string) => ({
  type: 'about:blank',
  title: STATUS_CODES[status],
  status,
  detail: message,
  ...(UUID.test(requestId) && { instance: `urn:uuid:${requestId}` }),
  code,
  error: message,
});
