import type { Middleware, ParameterizedContext } from 'koa';
import type { Logger } from 'pino';
import type { ApiKeyUsageCounter } from '../../database/api-key/usage.ts';
import type { ApiKeyRequests } from '../../database/api-key/requests.ts';
import { MAX_LENGTHS } from '../../entities/api-key/request.ts';
import { newUniqueId } from '../../entities/ids.ts';
import type { RequestState } from '../http/request-state.ts';

/** Summary of a request after its response has ended. Never contains a path with other ids than these, a body or a secret. */
export interface RequestSummary {
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
  /** uniqueId of the evidence; only of a download of its file, which the audit log does not record. */
  evidence?: string;
  /** Milliseconds from the request headers to the end of the response. */
  duration: number;
  /** Set if the connection closed before the response was complete. */
  aborted?: true;
  /** Trace id; absent if tracing is off. */
  traceId?: string;
}

export type RequestObserver = (summary: RequestSummary, ctx: ParameterizedContext<RequestState>) => void;

/** Calls the observers for each request after its response has ended. */
export function observeRequests(observers: readonly RequestObserver[]): Middleware<RequestState> {
  return (ctx, next) => {
    const startedAt = performance.now();
    ctx.res.once('close', () => {
      const { requestId, principal, route, evidence, traceId } = ctx.state;
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
      if (evidence !== undefined) summary.evidence = evidence;
      if (!ctx.res.writableFinished) summary.aborted = true;
      if (traceId !== undefined) summary.traceId = traceId;
      for (const observer of observers) observer(summary, ctx);
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

/**
 * Observer that records the requests of each API key, those of refused keys too.
 * @param redact redacts secrets, which a client may have put into a path
 */
export const recordKeyRequests =
  (requests: ApiKeyRequests, redact: (text: string) => string): RequestObserver =>
  ({ requestId, method, duration }, ctx) => {
    const { key, errorCode = null } = ctx.state;
    if (key === undefined) return; // of a request whose target may be malformed
    requests.record({
      company: key.company,
      key: key.key,
      uniqueId: newUniqueId(),
      at: new Date(Date.now() - duration).toISOString(),
      method,
      // A copy: a part of a text would keep the whole text with the query.
      path: Buffer.from(redact(ctx.path).slice(0, MAX_LENGTHS.path)).toString(),
      status: ctx.res.headersSent ? ctx.res.statusCode : null,
      code: errorCode,
      requestId,
      durationMs: Math.round(duration),
    });
  };
