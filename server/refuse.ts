import type { Context, Middleware } from 'koa';
import type { Logger } from 'pino';
import type { Principal } from '../entities/principal.ts';
import { Refusal } from '../entities/refusal.ts';
import { ERRORS, refusalOf } from '../procedures/errors.ts';
import { PROBLEM, problemOf, wantsProblem } from './problem.ts';
import type { Places } from './shedding.ts';

/** What a request carries from its first middleware on. */
export interface State {
  requestId: string;
  /** The pattern of its path, as far as it is known. */
  route?: string;
  /** Who asks, once that is known; null for the operator outside any company. */
  asks?: Pick<Principal, 'company' | 'key'> | null;
  /** The trace that it is part of, where traces are made. */
  traceId?: string;
  /** Where it has a place, where places are counted. */
  places?: Places;
}

/** Headers that a refusal with one of these statuses carries, whichever road it takes. Contract, section 2. */
const HEADERS: Readonly<Record<number, Record<string, string>>> = {
  401: { 'WWW-Authenticate': 'ApiKey realm="external", header="X-API-Key"' },
  503: { 'Retry-After': '1' },
};

export const headersOf = ({ reason, retryAfter }: Refusal): Record<string, string> =>
  retryAfter === undefined ? (HEADERS[ERRORS[reason].status] ?? {}) : { 'Retry-After': String(retryAfter) };

/** The one try/catch: whatever is thrown below becomes a status and `{error}`. */
export function refuse(log: Logger): Middleware<State> {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const refusal = refusalOf(error);
      report(log, ctx.state.requestId, refusal);
      ctx.status = ERRORS[refusal.reason].status;
      ctx.set('X-Error-Code', refusal.code);
      for (const [name, value] of Object.entries(headersOf(refusal)))
        if (!ctx.res.hasHeader(name)) ctx.set(name, value);
      const isProblem = wantsProblem(ctx);
      if (isProblem) ctx.set('Content-Type', PROBLEM);
      else ctx.type = 'application/json';
      ctx.body = JSON.stringify(
        isProblem ? problemOf(ctx.status, refusal, ctx.state.requestId) : { error: refusal.message },
      );
    }
  };
}

/**
 * Faults of ours, of the database and of what else we ask go to the log with their cause; what the caller did wrong does not,
 * nor what was refused because there is too much of it: that would only make more.
 */
export function report(log: Logger, requestId: string, { code, cause }: Refusal): void {
  if (code === 'internal') log.error({ requestId, err: cause }, 'a request failed');
  if (code === 'unavailable' && cause !== undefined)
    log.warn({ requestId, err: briefly(cause) }, 'a request could not be served');
}

/** Without a stack: while a database is away there would be one for each request, and all of them the same. */
const briefly = (cause: unknown): unknown =>
  cause instanceof Error
    ? { type: cause.name, message: cause.message, code: 'code' in cause ? cause.code : undefined }
    : cause;

/** The 404 of a path that does not exist. */
export const noSuchPath = () => new Refusal('not_found', 'No such path. The paths are documented at /docs.');

/** Whether a request by this method changes nothing. */
export const isReading = (method: string): boolean => method === 'GET' || method === 'HEAD';

/** @throws Refusal 405 for what would not only read */
export function requireReading(ctx: Context): void {
  if (isReading(ctx.method)) return;
  ctx.set('Allow', 'GET, HEAD');
  throw new Refusal('method_not_allowed', 'This path takes GET, HEAD.');
}
