import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Context } from 'koa';

/** A content that does not change, in every coding. All responses share its buffers, so slow clients do not cost memory. */
export interface EncodedContent {
  /** Beginning of the SHA-256 in hexadecimal digits. */
  digest: string;
  encodings: { identity: Buffer; br: Buffer; gzip: Buffer };
}

const compress = { br: promisify(brotliCompress), gzip: promisify(gzip) };

/** Options of the one-time compression, outside the main thread. A higher quality would delay the first response. */
const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };

export async function encodeContent(identity: Buffer): Promise<EncodedContent> {
  const [br, gz] = await Promise.all([compress.br(identity, BROTLI_OPTIONS), compress.gzip(identity)]);
  return {
    digest: createHash('sha256').update(identity).digest('hex').slice(0, 16),
    encodings: { identity, br, gzip: gz },
  };
}

/** Selects the best coding that the client accepts. */
export function selectEncoding(ctx: Context): keyof EncodedContent['encodings'] {
  ctx.vary('Accept-Encoding');
  // Each encoding is tested alone: browsers accept all with equal weight, and list `br` last.
  return (['br', 'gzip'] as const).find((encoding) => ctx.acceptsEncodings(encoding) !== false) ?? 'identity';
}

export function setEncodedBody(ctx: Context, { encodings }: EncodedContent, coding = selectEncoding(ctx)): void {
  if (coding !== 'identity') ctx.set('Content-Encoding', coding);
  ctx.body = encodings[coding];
}
