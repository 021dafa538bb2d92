import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';
import type { RequestState } from '../http/request-state.ts';

/** Ids that the server keeps. */
export const REQUEST_ID_PATTERN = /^[\w.:-]{1,128}$/;

/**
 * Sets the headers of every response. Keeps a valid X-Request-Id of the client unless it contains a secret, because the audit
 * log stores the id permanently.
 */
export function assignRequestId(redact: (text: string) => string): Middleware<RequestState> {
  return async (ctx, next) => {
    const inbound = ctx.get('X-Request-Id');
    const isKept = REQUEST_ID_PATTERN.test(inbound) && redact(inbound) === inbound;
    ctx.state.requestId = isKept ? inbound : randomUUID();
    ctx.set({ 'X-Request-Id': ctx.state.requestId, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
    await next();
  };
}
