import { servicesOf } from '../../../procedures/core/services.ts';
import { LIST_BATCH_SIZE, LIST_PAGES, iteratePages } from '../../../procedures/schemas/pagination.ts';
import type { Exchange } from '../exchange.ts';
import type { ListRoute } from '../route.ts';
import { JSON_ARRAY, streamItems } from './stream-items.ts';
import { JSON_CONTENT_TYPE, getField, setJson } from './target.ts';

/** Sends one page if the client sends `limit`, else the whole list. */
export async function respondWithList(exchange: Exchange, { listJson }: ListRoute): Promise<void> {
  const { ctx } = exchange;
  if (new URLSearchParams(ctx.querystring).has('limit')) {
    const page = await exchange.callProcedure();
    ctx.status = 200;
    ctx.set('X-Total-Count', String(getField(page, 'total')));
    setNextLink(exchange, getField(page, 'nextCursor'));
    setJson(ctx, getField(page, 'items'));
    return;
  }
  const whole = ctx.querystring === '' ? await listJson?.(exchange.context, LIST_BATCH_SIZE) : undefined;
  if (whole !== undefined) {
    ctx.status = 200;
    ctx.set('X-Total-Count', String(whole.total));
    ctx.set('Content-Type', JSON_CONTENT_TYPE);
    ctx.body = whole.json;
    return;
  }
  // A longer or filtered list is streamed in batches.
  const first = await exchange.callProcedure(exchange.context, exchange.getInput, LIST_BATCH_SIZE);
  ctx.set('X-Total-Count', String(getField(first, 'total')));
  const fetchPage = exchange.pageFetcher(LIST_BATCH_SIZE, LIST_BATCH_SIZE);
  await streamItems(ctx, JSON_ARRAY, iteratePages(LIST_PAGES, first, fetchPage));
}

/**
 * Sets `Link` to the next page (RFC 8288): the requested path and query with the new cursor. The URL is absolute, because many clients
 * resolve no relative one, and begins with `APP_URL`: behind a proxy, `Host` need not be what the client sees.
 */
function setNextLink({ ctx, services }: Exchange, cursor: unknown): void {
  if (typeof cursor !== 'string') return;
  const query = new URLSearchParams(ctx.querystring);
  query.set('cursor', cursor);
  ctx.set('Link', `<${servicesOf({ services }).appUrl()}${ctx.path}?${query.toString()}>; rel="next"`);
}
