import type { Context } from 'koa';
import type { CsvFile, StreamedPages } from '../../../procedures/core/declaration/meta.ts';
import { LIST_BATCH_SIZE, LIST_PAGES, forbidFields, iteratePages } from '../../../procedures/schemas/pagination.ts';
import type { Exchange } from '../exchange.ts';
import type { Route, StreamChoice, StreamFormat, StreamRoute } from '../route.ts';
import { CSV_MEDIA_TYPE, NDJSON, streamItems } from './stream-items.ts';
import { getField } from './target.ts';

/** Pages of a list that is sent as a file. */
const EXPORT_PAGES = { ...LIST_PAGES, pageSize: LIST_BATCH_SIZE };

/** Compiles the pages of an operation as NDJSON. */
export const compileNdjson = (route: Route, pages: StreamedPages): StreamChoice => ({
  isExport: false,
  routes: new Map([[NDJSON.contentType, { ...route, response: streamRoute(pages, () => NDJSON) }]]),
});

/**
 * Compiles the files of a list.
 * @param route reads the list page by page
 */
export const compileExports = (route: Route, csv: (query: Pick<URLSearchParams, 'has'>) => CsvFile): StreamChoice => ({
  isExport: true,
  routes: new Map([
    [
      CSV_MEDIA_TYPE,
      { ...route, response: streamRoute(EXPORT_PAGES, (query) => csvFormat(csv(new URLSearchParams(query))), true) },
    ],
    [NDJSON.contentType, { ...route, response: streamRoute(EXPORT_PAGES, () => NDJSON, true) }],
  ]),
});

const streamRoute = (pages: StreamedPages, format: StreamRoute['format'], hasTotal = false): StreamRoute => ({
  kind: 'stream',
  pages,
  hasTotal,
  format,
});

const csvFormat = ({ name, start, writeRows }: CsvFile): StreamFormat => ({
  contentType: `${CSV_MEDIA_TYPE}; charset=utf-8`,
  disposition: `attachment; filename="${name}"`,
  prefix: start,
  separator: '',
  suffix: '',
  serialize: writeRows,
});

/** Returns the stream that `Accept` prefers to JSON; otherwise the operation itself. */
export function selectStream(route: Route, ctx: Context): Route {
  if (route.streams === undefined) return route;
  const { isExport, routes } = route.streams;
  const type = ctx.accepts('application/json', ...routes.keys());
  if (typeof type !== 'string' || (isExport && !ctx.get('Accept').toLowerCase().includes(type))) return route;
  return routes.get(type) ?? route;
}

/** Sends all pages of a list. */
export async function respondWithStream(
  exchange: Exchange,
  { pages, hasTotal, format: formatFor }: StreamRoute,
): Promise<void> {
  const { ctx } = exchange;
  const format = formatFor(ctx.querystring);
  const first = await exchange.callProcedure(exchange.context, async () => {
    const fields = await exchange.getInput();
    forbidFields(fields, pages.forbiddenFields, format.contentType.replace(/;.*/, ''));
    return { ...fields, limit: pages.pageSize };
  });
  if (hasTotal) ctx.set('X-Total-Count', String(getField(first, 'total')));
  await streamItems(ctx, format, iteratePages(pages, first, exchange.pageFetcher(pages.pageSize)));
}
