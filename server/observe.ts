import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import type { State } from './refuse.ts';

/** What is known of a request when its answer has ended: never a path with its ids, a body or a secret. */
interface Seen {
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

export type Watcher = (seen: Seen) => void;

/** Tells watchers of each request when its answer has ended. */
export function observe(watchers: readonly Watcher[]): Middleware<State> {
  return (ctx, next) => {
    const began = performance.now();
    ctx.res.once('close', () => {
      const { requestId, asks, route, traceId } = ctx.state;
      const seen: Seen = {
        requestId,
        key: asks?.key ?? null,
        company: asks?.company ?? null,
        method: ctx.method,
        route: route ?? null,
        status: ctx.res.statusCode,
        duration: Math.round((performance.now() - began) * 1000) / 1000,
      };
      if (!ctx.res.writableFinished) seen.aborted = true;
      if (traceId !== undefined) seen.traceId = traceId;
      for (const watch of watchers) watch(seen);
    });
    return next();
  };
}

/** One line for each request, where lines of this level are written at all. */
export const toLog = (log: Logger): Watcher[] =>
  log.isLevelEnabled('info') ? [(seen) => log.info(seen, 'request')] : [];
