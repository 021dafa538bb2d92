import type { Context, Middleware } from 'koa';
import { sendEncoded, setEncodedBody } from '../http/compression.ts';
import { noSuchPath, requireSafeMethod } from '../http/error-handler.ts';
import type { RequestState } from '../http/request-state.ts';
import { once } from './once.ts';
import { DOCS_PATH } from './page.ts';
import { openSite } from './site.ts';
import type { ServedFile } from './site.ts';

/** Permits what this server sends, and nothing inline. https://www.w3.org/TR/CSP3/ */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "form-action 'none'",
].join('; ');

/** Short addresses of pages. */
const REDIRECTS: Readonly<Record<string, string>> = { [`${DOCS_PATH}/changelog`]: `${DOCS_PATH}/api-changelog` };

/**
 * Serves the guides at `/docs`, their search index, and `llms.txt`. Each page is rendered at its first request and stays in memory.
 * @param origin of the service, which examples and llms.txt name
 */
export function docsRoute(origin: () => string): Middleware<RequestState> {
  const open = once(() => openSite(origin));

  return async (ctx) => {
    requireSafeMethod(ctx);
    const path = ctx.path === `${DOCS_PATH}/` ? DOCS_PATH : ctx.path;
    const redirect = REDIRECTS[path];
    if (redirect !== undefined) {
      ctx.redirect(redirect);
      return;
    }
    const make = (await open()).paths.get(path);
    if (make === undefined) throw noSuchPath();
    sendFile(ctx, await make());
  };
}

function sendFile(ctx: Context, { type, content, isImmutable }: ServedFile): void {
  ctx.set({ 'Content-Security-Policy': CONTENT_SECURITY_POLICY, 'Referrer-Policy': 'same-origin' });
  ctx.type = type;
  ctx.set('Cache-Control', isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache');
  if (isImmutable) setEncodedBody(ctx, content);
  else sendEncoded(ctx, content);
}
