import { pipeline } from 'node:stream/promises';
import type { Context } from 'koa';
import { z } from 'zod';
import type { CsvFile, StreamedPages } from '../../../procedures/core/declaration/meta.ts';
import { LIST_BATCH_SIZE, LIST_PAGES, forbidFields, iteratePages } from '../../../procedures/schemas/pagination.ts';
import { MIN_COMPRESSED_BYTES, compressorFor } from '../../http/compression.ts';
import { withoutSlot } from '../../http/load-shedding.ts';
import type { Exchange } from '../exchange.ts';
import type { Route, StreamChoice, StreamFormat, StreamRoute } from '../route.ts';
import { getField, JSON_CONTENT_TYPE } from './target.ts';

/** Newline-delimited JSON: one value per line. */
export const NDJSON: StreamFormat = {
  contentType: 'application/x-ndjson',
  prefix: '',
  separator: '',
  suffix: '',
  serialize: (items) => items.map((item) => `${JSON.stringify(item)}\n`).join(''),
};

/** Media type of comma-separated values (RFC 4180). */
export const CSV_MEDIA_TYPE = 'text/csv';

/** A single JSON array. */
export const JSON_ARRAY: StreamFormat = {
  contentType: JSON_CONTENT_TYPE,
  prefix: '[',
  separator: ',',
  suffix: ']',
  serialize: (items) => JSON.stringify(items).slice(1, -1),
};

/**
 * Streams items batch by batch with backpressure, so at most one batch is in memory. It sends nothing before the first
 * batch is available, so an earlier error gets a normal error response. Items that are no more than a short response are sent as one.
 * @throws the error of a batch
 */
export async function streamItems(
  ctx: Context,
  format: StreamFormat,
  batches: AsyncGenerator<unknown[]>,
): Promise<void> {
  const texts = serialize(format, batches);
  let start = '';
  let isComplete = false;
  while (!isComplete && start.length <= MIN_COMPRESSED_BYTES) {
    const next = await texts.next();
    isComplete = next.done === true;
    start += next.value ?? '';
  }
  ctx.set('Content-Type', format.contentType);
  if (format.disposition !== undefined) ctx.set('Content-Disposition', format.disposition);
  if (isComplete) {
    ctx.status = 200;
    ctx.body = start;
    return;
  }
  await sendChunks(
    ctx,
    async function* () {
      yield start;
      yield* texts;
    },
    { isCompressed: true },
  );
}

/** Yields the text of each batch that has items, with the text before and after it. */
async function* serialize(
  { prefix, separator, suffix, serialize: write }: StreamFormat,
  batches: AsyncGenerator<unknown[]>,
): AsyncGenerator<string, undefined> {
  let before = prefix;
  for await (const items of batches) {
    if (items.length === 0) continue;
    yield before + write(items);
    before = separator;
  }
  yield before === prefix ? prefix + suffix : suffix;
}

interface SendOptions {
  status?: 200 | 206;
  /** True to compress the chunks if the client accepts it. Bytes of files are sent as they are. */
  isCompressed?: boolean;
}

/**
 * Sends chunks as they come; for HEAD it reads none. An error resets the connection, so that the client cannot mistake a part for
 * the whole: over HTTP/1.0, which proxies speak too, a connection that is only closed is the end of a complete response.
 * @throws the error of `read`
 */
export async function sendChunks(
  ctx: Context,
  read: () => AsyncIterable<string | Uint8Array>,
  { status = 200, isCompressed = false }: SendOptions = {},
): Promise<void> {
  ctx.status = status;
  const compressor = isCompressed ? compressorFor(ctx) : undefined;
  if (ctx.method === 'HEAD') return;
  ctx.respond = false;
  let readError: unknown;
  const source = async function* () {
    try {
      yield* read();
    } catch (error) {
      readError = error;
      ctx.req.socket.resetAndDestroy();
    }
  };
  try {
    await withoutSlot(ctx, () =>
      compressor === undefined ? pipeline(source, ctx.res) : pipeline(source, compressor, ctx.res),
    );
  } catch (error) {
    if (readError === undefined && !isClientDisconnect(error)) throw error;
  }
  if (readError !== undefined) throw readError;
}

/** Returns true if the client closed the connection, which is not an error of the service. */
const isClientDisconnect = (error: unknown) =>
  error instanceof Error &&
  'code' in error &&
  ['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'ECONNRESET', 'EPIPE'].includes(String(error.code));

/** Pages of a list that is sent as a file. */
const EXPORT_PAGES = { ...LIST_PAGES, pageSize: LIST_BATCH_SIZE };

const CsvContent = z.object({ content: z.string(), nextCursor: z.string().nullable() });

function parseCsvPage(page: unknown) {
  const { content, nextCursor } = CsvContent.parse(page);
  return { items: [content], nextCursor };
}

/** Compiles a file that a procedure writes page by page. @param compile compiles the procedure */
function compileCsv(
  compile: (procedure: string) => Route,
  { procedure, name, pageSize, hasTotal = false, example }: CsvFile,
) {
  const format = {
    contentType: `${CSV_MEDIA_TYPE}; charset=utf-8`,
    disposition: `attachment; filename="${name}"`,
    prefix: '',
    separator: '',
    suffix: '',
    serialize: (parts: readonly unknown[]) => parts.join(''),
  };
  const pages = { ...LIST_PAGES, pageSize, parsePage: parseCsvPage };
  return [
    CSV_MEDIA_TYPE,
    { ...compile(procedure), response: { ...streamRoute(pages, format, hasTotal), example } },
  ] as const;
}

/** Compiles the pages of an operation as NDJSON, and as CSV if it has such a file. */
export const compileNdjson = (
  route: Route,
  pages: StreamedPages,
  compile: (procedure: string) => Route,
  csv: CsvFile | undefined,
): StreamChoice => ({
  isExport: false,
  routes: new Map([
    [NDJSON.contentType, { ...route, response: streamRoute(pages, NDJSON) }],
    ...(csv === undefined ? [] : [compileCsv(compile, csv)]),
  ]),
});

/** Compiles the files of a list. */
export const compileExports = (
  compile: (procedure: string) => Route,
  { procedure, csv }: { procedure: string; csv: CsvFile },
): StreamChoice => ({
  isExport: true,
  routes: new Map([
    compileCsv(compile, csv),
    [NDJSON.contentType, { ...compile(procedure), response: streamRoute(EXPORT_PAGES, NDJSON, csv.hasTotal) }],
  ]),
});

const streamRoute = (pages: StreamedPages, format: StreamFormat, hasTotal = false): StreamRoute => ({
  kind: 'stream',
  pages,
  hasTotal,
  format,
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
export async function respondWithStream(exchange: Exchange, { pages, hasTotal, format }: StreamRoute): Promise<void> {
  const { ctx } = exchange;
  const first = await exchange.callProcedure(exchange.context, async () => {
    const fields = await exchange.getInput();
    const allowed = pages.allowedFields?.(fields) ?? [];
    const forbidden = pages.forbiddenFields.filter((field) => !allowed.includes(field));
    forbidFields(fields, forbidden, format.contentType.replace(/;.*/, ''));
    return allowed.includes('limit') ? fields : { ...fields, limit: pages.pageSize };
  });
  if (hasTotal) ctx.set('X-Total-Count', String(getField(first, 'total')));
  await streamItems(ctx, format, iteratePages(pages, first, exchange.pageFetcher(pages.pageSize)));
}
