import { pipeline } from 'node:stream/promises';
import type { Context } from 'koa';
import { withoutSlot } from '../../http/load-shedding.ts';
import type { StreamFormat } from '../route.ts';
import { JSON_CONTENT_TYPE } from './target.ts';

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
 * batch is available, so an earlier error gets a normal error response.
 * @throws the error of a batch
 */
export async function streamItems(
  ctx: Context,
  format: StreamFormat,
  batches: AsyncGenerator<unknown[]>,
): Promise<void> {
  const first = await batches.next();
  ctx.set('Content-Type', format.contentType);
  if (format.disposition !== undefined) ctx.set('Content-Disposition', format.disposition);
  await sendChunks(ctx, async function* () {
    yield format.prefix + (first.done === true ? '' : format.serialize(first.value));
    for await (const items of batches) if (items.length > 0) yield format.separator + format.serialize(items);
    yield format.suffix;
  });
}

/**
 * Sends chunks as they come; for HEAD it reads none. An error closes the connection, so that the client
 * cannot mistake a part for the whole.
 * @throws the error of `read`
 */
export async function sendChunks(
  ctx: Context,
  read: () => AsyncIterable<string | Uint8Array>,
  status: 200 | 206 = 200,
): Promise<void> {
  ctx.status = status;
  if (ctx.method === 'HEAD') return;
  ctx.respond = false;
  let readError: unknown;
  const source = async function* () {
    try {
      yield* read();
    } catch (error) {
      readError = error;
      ctx.res.destroy();
    }
  };
  try {
    await withoutSlot(ctx, () => pipeline(source, ctx.res));
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
