import type { Context } from 'koa';
import { CSV_MEDIA_TYPE, NDJSON } from './stream.ts';
import type { StreamFormat } from './stream.ts';
import type { Route } from './routes.ts';

/** A request for a whole list as a file. */
interface ExportRequest {
  /** The procedure that reads the list page by page. */
  route: Route;
  format: StreamFormat;
}

/** Returns the export that `Accept` names exactly; undefined for JSON, also by a wildcard. */
export function exportRequest({ exports }: Route, ctx: Context): ExportRequest | undefined {
  if (exports === undefined) return undefined;
  const type = ctx.accepts('application/json', CSV_MEDIA_TYPE, NDJSON.contentType);
  if (typeof type !== 'string' || !ctx.get('Accept').toLowerCase().includes(type)) return undefined;
  if (type === NDJSON.contentType) return { route: exports.route, format: NDJSON };
  if (type !== CSV_MEDIA_TYPE) return undefined;
  const { name, start, writeRows } = exports.csv(new URLSearchParams(ctx.querystring).has('source'));
  const format = {
    contentType: `${CSV_MEDIA_TYPE}; charset=utf-8`,
    disposition: `attachment; filename="${name}"`,
    prefix: start,
    separator: '',
    suffix: '',
    serialize: writeRows,
  };
  return { route: exports.route, format };
}
