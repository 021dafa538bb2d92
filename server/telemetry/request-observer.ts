import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import type { RequestState } from '../http/error-handler.ts';

/** What is known of a request when its answer has ended: never a path with its ids, a body or a secret. */
interface RequestSummary {
  requestId: string;
  /** uniqueId of the key that asked; null where none did, or none that holds. */
  key: string | null;
  company: number | null;
  method: string;
  /** The pattern of its path, as the document shows it; null for one that is not known. */
  route: string | null;
  status: number;
  /** Milliseconds from its headers to the end of its answer. */
  duration: number;
  /** Whether the client went away, or was cut off, before the answer was whole. */
  aborted?: true;
  /** Its trace, where traces are made. */
  traceId?: string;
}

export type RequestObserver = (summary: RequestSummary) => void;

/** Tells watchers of each request when its answer has ended. */
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
      if (!ctx.res.writableFinished) summary.aborted = true;
      if (traceId !== undefined) summary.traceId = traceId;
      for (const observer of observers) observer(summary);
    });
    return next();
  };
}

/** One line for each request, where lines of this level are written at all. */
export const logRequests = (log: Logger): RequestObserver[] =>
  log.isLevelEnabled('info') ? [(summary) => log.info(summary, 'request')] : [];
