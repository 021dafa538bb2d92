import { servicesOf } from '../../../procedures/core/services.ts';
import { LIST_BATCH_SIZE, LIST_PAGES, iteratePages } from '../../../procedures/schemas/pagination.ts';
import { responseEntityTag } from '../../../procedures/schemas/entity-tag.ts';
import type { UpsertResponse } from '../../../procedures/core/declaration/meta.ts';
import type { Exchange } from '../exchange.ts';
import { respondIdempotently } from '../idempotency.ts';
import type { ListRoute } from '../route.ts';
import { respondWithBytes } from './bytes.ts';
import { writeJson } from './json.ts';
import { respondWithStream, JSON_ARRAY, streamItems } from './stream.ts';
import type { ResponseTarget } from './target.ts';
import { JSON_CONTENT_TYPE, getField, setJson, setLocation } from './target.ts';

/** Calls the procedure of a request and responds by the kind of its response. */
export function respond(exchange: Exchange): Promise<void> {
  const { response } = exchange.route;
  if (response.kind === 'list') return respondWithList(exchange, response);
  if (response.kind === 'bytes') return respondWithBytes(exchange);
  if (response.kind === 'stream') return respondWithStream(exchange, response);
  return respondOnce(exchange, (target, output) =>
    response.kind === 'json'
      ? writeJson(target, exchange, response, output)
      : writeUpsert(target, exchange, response, output),
  );
}

/** Responds with one value, which a request with an `Idempotency-Key` records. */
async function respondOnce(
  exchange: Exchange,
  write: (target: ResponseTarget, output: unknown) => void,
): Promise<void> {
  const { ctx, requestHeaders, isDryRun, upload } = exchange;
  try {
    if (requestHeaders.idempotencyKey === undefined || isDryRun) write(ctx, await exchange.callProcedure());
    else await respondIdempotently(exchange, write);
  } finally {
    await upload?.discard();
  }
}

/** Sends one page if the client sends `limit`, else the whole list. */
async function respondWithList(exchange: Exchange, { listJson }: ListRoute): Promise<void> {
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

/** Writes the item of `{upsert, item}`, with 201 if it was created. */
function writeUpsert(
  target: ResponseTarget,
  { isDryRun }: Exchange,
  { location }: UpsertResponse,
  output: unknown,
): void {
  const item = getField(output, 'item');
  const upsert = getField(output, 'upsert');
  target.set('ETag', `"${responseEntityTag(item)}"`);
  target.set('X-Upsert', String(upsert));
  if (isDryRun) target.set('X-Dry-Run', 'true');
  target.status = upsert === 'created' ? 201 : 200;
  if (upsert === 'created' && !isDryRun) setLocation(target, location, item);
  setJson(target, item);
}
