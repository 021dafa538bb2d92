import { FileContent } from '../../../procedures/schemas/file-content.ts';
import type { Exchange } from '../exchange.ts';
import { sendChunks } from './stream-items.ts';

/** Headers with which a browser neither shows the content nor runs it as a page of this origin. */
const ISOLATION = { 'X-Content-Type-Options': 'nosniff', 'Content-Security-Policy': "sandbox; default-src 'none'" };

/** Sends a file. */
export async function respondWithBytes(exchange: Exchange): Promise<void> {
  const { ctx, requestHeaders } = exchange;
  const { name, mediaType, size, sha256, read } = FileContent.parse(await exchange.callProcedure());
  ctx.set('ETag', `"${sha256}"`);
  if (requestHeaders.matchesIfNoneMatch(sha256)) {
    ctx.status = 304;
    return;
  }
  ctx.attachment(name);
  ctx.set({ ...ISOLATION, 'Content-Type': mediaType, 'Content-Length': String(size) });
  await sendChunks(ctx, () => read({ start: 0, end: size - 1 }));
}
