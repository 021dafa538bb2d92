import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import type { ApiKeyUsageCounter } from '../../database/api-key/usage.ts';
import type { RequestState } from '../http/request-state.ts';

/** Summary of a request after its response has ended. Never contains a path with ids, a body or a secret. */
interface RequestSummary {
  requestId: string;
  /** uniqueId of the authenticated API key; null without a valid key. */
  key: string | null;
  /** uniqueId of the signed-in member; absent for other callers. */
  member?: string;
  company: number | null;
  method: string;
  /** Path pattern of the OpenAPI document; null for an unknown path. */
  route: string | null;
  status: number;
  /** Milliseconds from the request headers to the end of the response. */
  duration: number;
  /** Set if the connection closed before the response was complete. */
  aborted?: true;
  /** Trace id; absent if tracing is off. */
  traceId?: string;
}

export type RequestObserver = (summary: RequestSummary) => void;

/** Calls the observers for each request after its response has ended. */
export function observeRequests(observers: readonly RequestObserver[]): Middleware<RequestState> {
  return (ctx, next) => {
    const startedAt = performance.now();
    ctx.res.once('close', () => {
      const { requestId, principal, route, traceId } = ctx.state;
      const summary: RequestSummary = {
        requestId,
        key: principal?.key ?? null,
        company: principal?.company ?? null,
        method: ctx.method,
        route: route ?? null,
        status: ctx.res.statusCode,
        duration: Math.round((performance.now() - startedAt) * 1000) / 1000,
      };
      if (typeof principal?.role === 'string') summary.member = principal.user.uniqueId;
      if (!ctx.res.writableFinished) summary.aborted = true;
      if (traceId !== undefined) summary.traceId = traceId;
      for (const observer of observers) observer(summary);
    });
    return next();
  };
}

/** Observer that logs each request; none if the log level excludes `info`. */
export const logRequests = (log: Logger): RequestObserver[] =>
  log.isLevelEnabled('info') ? [(summary) => log.info(summary, 'request')] : [];

/** Observer that counts the requests of each API key. Requests without a valid key are not counted. */
export const countKeyUsage =
  (usage: ApiKeyUsageCounter): RequestObserver =>
  ({ company, key, status }) => {
    if (company !== null && key !== null) usage.record(company, key, status);
  };
