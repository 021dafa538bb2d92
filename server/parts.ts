import { pipeline } from 'node:stream/promises';
import type { Context } from 'koa';
import { JSON_TYPE } from './reply.ts';
import { atClientsPace } from './shedding.ts';

/** How items are written that are sent as they come. */
interface Form {
  type: string;
  open: string;
  between: string;
  close: string;
  write(items: readonly unknown[]): string;
}

/** One JSON value on each line. */
export const LINES: Form = {
  type: 'application/x-ndjson',
  open: '',
  between: '',
  close: '',
  write: (items) => items.map((item) => `${JSON.stringify(item)}\n`).join(''),
};

/** One JSON array. */
export const ARRAY: Form = {
  type: JSON_TYPE,
  open: '[',
  between: ',',
  close: ']',
  write: (items) => JSON.stringify(items).slice(1, -1),
};

/** Whether the caller would rather have lines than one JSON document; who does not say so gets JSON. */
export const wantsLines = (ctx: Context): boolean => ctx.accepts('application/json', LINES.type) === LINES.type;

/**
 * Answers with items, part by part, as fast as the client takes them, so that no more than a part is ever held. Nothing
 * is sent before the first part is there: until then a refusal is answered like any other. Whatever goes wrong after
 * that cuts the connection, so that the client cannot take a part for the whole.
 * @throws what a part throws
 */
export async function replyInParts(ctx: Context, form: Form, parts: AsyncGenerator<unknown[]>): Promise<void> {
  const first = await parts.next();
  ctx.set('Content-Type', form.type);
  ctx.status = 200;
  if (ctx.method === 'HEAD') return;
  ctx.respond = false;
  let failure: unknown;
  const source = async function* () {
    try {
      yield form.open + (first.done === true ? '' : form.write(first.value));
      for await (const items of parts) if (items.length > 0) yield form.between + form.write(items);
      yield form.close;
    } catch (error) {
      failure = error;
      ctx.res.destroy();
    }
  };
  try {
    await atClientsPace(ctx, () => pipeline(source, ctx.res));
  } catch (error) {
    if (failure === undefined && !isGone(error)) throw error;
  }
  if (failure !== undefined) throw failure;
}

/** The client went away, which is no fault of anybody. */
export const isGone = (error: unknown) =>
  error instanceof Error &&
  'code' in error &&
  ['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'ECONNRESET', 'EPIPE'].includes(String(error.code));
