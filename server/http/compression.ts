import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import type { Transform } from 'node:stream';
import { createHash } from 'node:crypto';
import type { Context, Middleware } from 'koa';

/** Bytes up to which a response is sent as it is: one packet holds it, so compressing it would only cost time. */
export const MIN_COMPRESSED_BYTES = 1024;

const COMPRESSED_TYPES = new Set([
  'application/json',
  'application/problem+json',
  'application/x-ndjson',
  'text/csv',
  'text/html',
]);

/** The fastest useful levels, because the server has other work: lists get an eighth of their bytes. */
const GZIP_OPTIONS = { level: 1 };
const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

type Coding = 'gzip' | 'br';

const compress: Record<Coding, (body: string | Buffer) => Promise<Buffer>> = {
  gzip: (body) => promisify(gzip)(body, GZIP_OPTIONS),
  br: (body) => promisify(brotliCompress)(body, BROTLI_OPTIONS),
};

/** Each chunk is flushed, so that what a stream has reaches the client at once. */
const compressors: Record<Coding, () => Transform> = {
  gzip: () => createGzip({ ...GZIP_OPTIONS, flush: constants.Z_SYNC_FLUSH }),
  br: () => createBrotliCompress({ ...BROTLI_OPTIONS, flush: constants.BROTLI_OPERATION_FLUSH }),
};

/**
 * Compresses whole responses. Those that are encoded already, and streams, set their own coding. The entity tag stays as it is: it
 * names a version of the data (decision 0002).
 *
 * Attacks on compressed secrets (BREACH) send requests from pages of other sites. Such a page has no key, and a session does not admit it.
 */
export const compressResponses: Middleware = async (ctx, next) => {
  await next();
  const { body } = ctx;
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) return;
  if ((ctx.response.length ?? 0) <= MIN_COMPRESSED_BYTES || ctx.res.hasHeader('Content-Encoding')) return;
  const coding = selectCoding(ctx);
  if (coding !== undefined) ctx.body = await compress[coding](body);
};

/** Returns a compressor for a stream, and sets the headers; undefined if the stream is sent as it is. */
export function compressorFor(ctx: Context): Transform | undefined {
  const coding = selectCoding(ctx);
  return coding === undefined || ctx.method === 'HEAD' ? undefined : compressors[coding]();
}

/** Selects a coding that the client accepts, for a media type that is compressed, and sets the headers. Prefers gzip to an equal brotli. */
function selectCoding(ctx: Context): Coding | undefined {
  if (!COMPRESSED_TYPES.has(ctx.response.type)) return undefined;
  ctx.vary('Accept-Encoding');
  const coding = ctx.acceptsEncodings('gzip', 'br', 'identity');
  if (coding !== 'gzip' && coding !== 'br') return undefined;
  ctx.set('Content-Encoding', coding);
  return coding;
}

/** A content that does not change, in every coding. All responses share its buffers, so slow clients do not cost memory. */
export interface EncodedContent {
  /** Beginning of the SHA-256 in hexadecimal digits. */
  digest: string;
  encodings: { identity: Buffer; br: Buffer; gzip: Buffer };
}

const compressOnce = { br: promisify(brotliCompress), gzip: promisify(gzip) };

/** Options of the one-time compression, outside the main thread. A higher quality would delay the first response. */
const ONCE_BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };

export async function encodeContent(identity: Buffer): Promise<EncodedContent> {
  const [br, gz] = await Promise.all([compressOnce.br(identity, ONCE_BROTLI_OPTIONS), compressOnce.gzip(identity)]);
  return {
    digest: createHash('sha256').update(identity).digest('hex').slice(0, 16),
    encodings: { identity, br, gzip: gz },
  };
}

/** Selects the best coding that the client accepts. */
function selectEncoding(ctx: Context): keyof EncodedContent['encodings'] {
  ctx.vary('Accept-Encoding');
  // Each encoding is tested alone: browsers accept all with equal weight, and list `br` last.
  return (['br', 'gzip'] as const).find((encoding) => ctx.acceptsEncodings(encoding) !== false) ?? 'identity';
}

export function setEncodedBody(ctx: Context, { encodings }: EncodedContent, coding = selectEncoding(ctx)): void {
  if (coding !== 'identity') ctx.set('Content-Encoding', coding);
  ctx.body = encodings[coding];
}

/** Sends a content, or 304 to a client that has it. Each coding has a strong entity tag of its own. */
export function sendEncoded(ctx: Context, content: EncodedContent): void {
  const coding = selectEncoding(ctx);
  ctx.set('ETag', coding === 'identity' ? `"${content.digest}"` : `"${content.digest}-${coding}"`);
  ctx.status = 200;
  if (ctx.fresh) ctx.status = 304;
  else setEncodedBody(ctx, content, coding);
}
