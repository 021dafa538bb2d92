import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { z } from 'zod';
import { ApiError } from '../../../entities/api-error.ts';
import { DamagedFileError, MissingBytesError, verifiedBytes } from '../../../procedures/core/storage.ts';
import type { ByteRange } from '../../../procedures/core/storage.ts';
import { FileContent } from '../../../procedures/schemas/file-content.ts';
import type { Exchange } from '../exchange.ts';
import { sendChunks } from './stream.ts';

/** Headers with which a browser neither shows the content nor runs it as a page of this origin. */
const ISOLATION = { 'X-Content-Type-Options': 'nosniff', 'Content-Security-Policy': "sandbox; default-src 'none'" };

/** Largest file that a response holds in memory. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

/** Characters that reverse the text after them: with one of them, a program looks like `exe.jpg`. */
const BIDIRECTIONAL_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Sends a file, or a range of it. */
export async function respondWithBytes(exchange: Exchange): Promise<void> {
  const { ctx, requestHeaders } = exchange;
  const file = FileContent.parse(await exchange.callProcedure());
  if (file.evidence !== undefined) ctx.state.evidence = file.evidence;
  const entityTag = `"${file.sha256}"`;
  if (requestHeaders.matchesIfNoneMatch(file.sha256)) {
    ctx.set('ETag', entityTag);
    ctx.status = 304;
    return;
  }
  const range = requestedRange(ctx, file.size, entityTag);
  const { start, end } = range ?? { start: 0, end: file.size - 1 };
  const content = ctx.method === 'HEAD' ? undefined : await readVerified(ctx, file, { start, end });
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
  try {
    await sendChunks(ctx, () => content ?? Readable.from([]), { status: range === undefined ? 200 : 206 });
  } finally {
    if (content instanceof Readable) content.destroy();
  }
}

/** Sends the content as an attachment, with `filename*` for every name. Koa leaves it out for names in Latin letters (RFC 6266). */
function setFileName(ctx: Context, name: string): void {
  ctx.attachment(name);
  const disposition = ctx.response.get('Content-Disposition');
  if (disposition.includes('filename*=')) return;
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
  ctx.set('Content-Disposition', `${disposition}; filename*=UTF-8''${encoded}`);
}

const RANGE = /^bytes=[ \t]*(?:(\d+)-(\d*)|-(\d+))[ \t]*$/i;

/**
 * Reads the range that a client wants of a content. Several ranges, other units and malformed ranges are ignored, as RFC 9110
 * allows: https://www.rfc-editor.org/rfc/rfc9110#section-14.2
 * @returns undefined for the whole content; 'unsatisfiable' for a range beyond its end
 */
function parseRange(header: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  const match = RANGE.exec(header);
  if (match === null || size === 0) return undefined;
  const [, first, last = '', suffix] = match;
  if (first === undefined) {
    const length = Math.min(Number(suffix), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? Infinity : Number(last);
  if (end < start) return undefined;
  return start >= size ? 'unsatisfiable' : { start, end: Math.min(end, size - 1) };
}

/**
 * The range that the response has. A client whose copy is another one gets the whole content: a date in `If-Range` never matches. The
 * tag may be weak, because proxies make it so (decision 0002); a content has only one state.
 * @returns undefined for the whole content
 * @throws ApiError 416
 */
function requestedRange(ctx: Context, size: number, entityTag: string): ByteRange | undefined {
  const ifRange = ctx.get('If-Range');
  // RFC 9110 defines ranges for GET only.
  if (ctx.method !== 'GET' || !['', entityTag, `W/${entityTag}`].includes(ifRange)) return undefined;
  const range = parseRange(ctx.get('Range'), size);
  if (range !== 'unsatisfiable') return range;
  ctx.set('Content-Range', `bytes */${size}`);
  throw new ApiError('range_not_satisfiable', `Range: expected a range of ${size} bytes`);
}

/**
 * Reads a range of evidence whose bytes are those of its digest, before the first byte of the response: a stream cannot be taken back, and
 * a client would keep wrong bytes. A small file stays in memory meanwhile. A larger one is read twice, which costs the store a second
 * read, also for each range, but neither memory nor a copy on the disk. Should it change between, its end is not sent.
 *
 * A proof may have gigabytes, and whoever takes it verifies it. So only its first bytes are read before the response.
 * @throws ApiError 503 if the store does not have these bytes
 */
async function readVerified(
  ctx: Context,
  { read, size, sha256, evidence }: z.infer<typeof FileContent>,
  { start, end }: ByteRange,
): Promise<AsyncIterable<Uint8Array>> {
  if (size === 0) return Readable.from([]);
  const whole = { start: 0, end: size - 1 };
  const content = () => (end - start + 1 === size ? verifiedBytes(read(whole), sha256) : read({ start, end }));
  const isSmall = size <= MAX_BUFFERED_BYTES;
  const chunks: Uint8Array[] = [];
  try {
    if (evidence === undefined) return await beginReading(content());
    for await (const chunk of verifiedBytes(read(whole), sha256)) {
      if (isSmall) chunks.push(chunk);
      else if (ctx.req.socket.destroyed) break; // nobody waits for the rest
    }
  } catch (error) {
    throw error instanceof DamagedFileError ? damaged(error) : error;
  }
  return isSmall ? Readable.from([Buffer.concat(chunks).subarray(start, end + 1)]) : content();
}

/**
 * Reads the first bytes now, so that an error of the store comes before the response. A stream ends the reading when it is destroyed,
 * also before it was read; a generator would not.
 */
async function beginReading(bytes: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const stream = Readable.from(bytes, { objectMode: false });
  await once(stream, 'readable');
  return stream;
}

/** An operator must restore the file, so a client need not try again soon. */
const damaged = (cause: DamagedFileError) =>
  new ApiError(
    'unavailable',
    `content: the file is ${cause instanceof MissingBytesError ? 'missing' : 'damaged'} in the store of the service; tell its operator`,
    { cause, retryAfter: 60 },
  );
