import { pipeline } from 'node:stream/promises';
import type { Context } from 'koa';

export const LINES = 'application/x-ndjson';

/** Whether the caller would rather have lines than one JSON document; who does not say so gets JSON. */
export const wantsLines = (ctx: Context): boolean => ctx.accepts('application/json', LINES) === LINES;

/**
 * Answers with one JSON value on each line, page by page as fast as the client takes them, so that no more than a page
 * is ever held. Nothing is sent before the first page is there: until then a refusal is answered like any other.
 * Whatever goes wrong after that cuts the connection, so that the client cannot take a part for the whole.
 * @throws what a page throws
 */
export async function replyWithLines(ctx: Context, pages: AsyncGenerator<unknown[]>): Promise<void> {
  const first = await pages.next();
  ctx.set('Content-Type', LINES);
  ctx.status = 200;
  if (ctx.method === 'HEAD') return;
  ctx.respond = false;
  let failure: unknown;
  const source = async function* () {
    try {
      if (first.done !== true) yield asLines(first.value);
      for await (const items of pages) yield asLines(items);
    } catch (error) {
      failure = error;
      ctx.res.destroy();
    }
  };
  try {
    await pipeline(source, ctx.res);
  } catch (error) {
    if (failure === undefined && !isGone(error)) throw error;
  }
  if (failure !== undefined) throw failure;
}

const asLines = (items: unknown[]) => items.map((item) => `${JSON.stringify(item)}\n`).join('');

/** The client went away, which is no fault of anybody. */
const isGone = (error: unknown) =>
  error instanceof Error &&
  'code' in error &&
  ['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'ECONNRESET', 'EPIPE'].includes(String(error.code));
