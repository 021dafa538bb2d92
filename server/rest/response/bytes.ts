import type { Context } from 'koa';
import type { z } from 'zod';
import { ApiError } from '../../../entities/api-error.ts';
import type { ByteRange } from '../../../procedures/core/storage.ts';
import { FileContent } from '../../../procedures/schemas/file-content.ts';
import type { Exchange } from '../exchange.ts';
import { parseRange } from './byte-range.ts';
import { sendChunks } from './stream-items.ts';

/** Headers with which a browser neither shows the content nor runs it as a page of this origin. */
const ISOLATION = { 'X-Content-Type-Options': 'nosniff', 'Content-Security-Policy': "sandbox; default-src 'none'" };

/** Characters that reverse the text after them: with one of them, a program looks like `exe.jpg`. */
const BIDIRECTIONAL_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Sends a file, or a range of it. */
export async function respondWithBytes(exchange: Exchange): Promise<void> {
  const { ctx, requestHeaders } = exchange;
  const file = FileContent.parse(await exchange.callProcedure());
  const entityTag = `"${file.sha256}"`;
  if (requestHeaders.matchesIfNoneMatch(file.sha256)) {
    ctx.set('ETag', entityTag);
    ctx.status = 304;
    return;
  }
  const range = requestedRange(ctx, file.size, entityTag);
  const { start, end } = range ?? { start: 0, end: file.size - 1 };
  const chunks = chunksOf(file, { start, end });
  // An error of the storage before the first chunk gets a normal error response.
  if (ctx.method !== 'HEAD') await chunks.begin();
  setFileName(ctx, file.name.toWellFormed().replaceAll(BIDIRECTIONAL_CONTROLS, '_'));
  ctx.set({
    ...ISOLATION,
    ETag: entityTag,
    'Accept-Ranges': 'bytes',
    'Repr-Digest': `sha-256=:${Buffer.from(file.sha256, 'hex').toString('base64')}:`,
    'Content-Type': file.mediaType,
    'Content-Length': String(end - start + 1),
  });
  if (range !== undefined) ctx.set('Content-Range', `bytes ${start}-${end}/${file.size}`);
  await sendChunks(ctx, () => chunks.read(), range === undefined ? 200 : 206);
}

/** Sends the content as an attachment, with `filename*` for every name. Koa leaves it out for names in Latin letters (RFC 6266). */
function setFileName(ctx: Context, name: string): void {
  ctx.attachment(name);
  const disposition = ctx.response.get('Content-Disposition');
  if (disposition.includes('filename*=')) return;
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
  ctx.set('Content-Disposition', `${disposition}; filename*=UTF-8''${encoded}`);
}

/**
 * The range that the response has. A client whose copy is another one gets the whole content: `If-Range` uses the strong
 * comparison, and a date never matches.
 * @returns undefined for the whole content
 * @throws ApiError 416
 */
function requestedRange(ctx: Context, size: number, entityTag: string): ByteRange | undefined {
  const ifRange = ctx.get('If-Range');
  // RFC 9110 defines ranges for GET only.
  if (ctx.method !== 'GET' || (ifRange !== '' && ifRange !== entityTag)) return undefined;
  const range = parseRange(ctx.get('Range'), size);
  if (range !== 'unsatisfiable') return range;
  ctx.set('Content-Range', `bytes */${size}`);
  throw new ApiError('range_not_satisfiable', `Range: expected a range of ${size} bytes`);
}

/** Reads a range in two steps: the first chunk, and the rest with it. */
function chunksOf({ read, size }: z.infer<typeof FileContent>, range: ByteRange) {
  const iterator = size === 0 ? undefined : read(range)[Symbol.asyncIterator]();
  let next: Promise<IteratorResult<Uint8Array, unknown>> | undefined;
  return {
    begin: async () => {
      next = iterator?.next();
      await next;
    },
    async *read() {
      let missing = range.end - range.start + 1;
      try {
        for (let result = await next; result?.done === false; result = await iterator?.next()) {
          missing -= result.value.length;
          yield result.value;
        }
        // The client would wait for the rest.
        if (missing !== 0) throw new Error(`file: the storage has ${missing} bytes fewer than the file`);
      } finally {
        await iterator?.return?.();
      }
    },
  };
}
