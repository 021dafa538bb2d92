import { pipeline } from 'node:stream/promises';
import type { Context } from 'koa';
import { JSON_CONTENT_TYPE } from './response.ts';
import { withoutSlot } from '../http/load-shedding.ts';

/** How items are written that are sent as they come. */
interface StreamFormat {
  contentType: string;
  prefix: string;
  separator: string;
  suffix: string;
  serialize(items: readonly unknown[]): string;
}

/** One JSON value on each line. */
export const NDJSON: StreamFormat = {
  contentType: 'application/x-ndjson',
  prefix: '',
  separator: '',
  suffix: '',
  serialize: (items) => items.map((item) => `${JSON.stringify(item)}\n`).join(''),
};

/** One JSON array. */
export const JSON_ARRAY: StreamFormat = {
  contentType: JSON_CONTENT_TYPE,
  prefix: '[',
  separator: ',',
  suffix: ']',
  serialize: (items) => JSON.stringify(items).slice(1, -1),
};

/** Whether the caller would rather have lines than one JSON document; who does not say so gets JSON. */
export const acceptsNdjson = (ctx: Context): boolean =>
  ctx.accepts('application/json', NDJSON.contentType) === NDJSON.contentType;

/**
 * Answers with items, part by part, as fast as the client takes them, so that no more than a part is ever held. Nothing
 * is sent before the first part is there: until then a refusal is answered like any other. Whatever goes wrong after
 * that cuts the connection, so that the client cannot take a part for the whole.
 * @throws what a part throws
 */
export async function streamItems(
  ctx: Context,
  format: StreamFormat,
  batches: AsyncGenerator<unknown[]>,
): Promise<void> {
  const first = await batches.next();
  ctx.set('Content-Type', format.contentType);
  ctx.status = 200;
  if (ctx.method === 'HEAD') return;
  ctx.respond = false;
  let streamError: unknown;
  const source = async function* () {
    try {
      yield format.prefix + (first.done === true ? '' : format.serialize(first.value));
      for await (const items of batches) if (items.length > 0) yield format.separator + format.serialize(items);
      yield format.suffix;
    } catch (error) {
      streamError = error;
      ctx.res.destroy();
    }
  };
  try {
    await withoutSlot(ctx, () => pipeline(source, ctx.res));
  } catch (error) {
    if (streamError === undefined && !isClientDisconnect(error)) throw error;
  }
  if (streamError !== undefined) throw streamError;
}

/** The client went away, which is no fault of anybody. */
export const isClientDisconnect = (error: unknown) =>
  error instanceof Error &&
  'code' in error &&
  ['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'ECONNRESET', 'EPIPE'].includes(String(error.code));
