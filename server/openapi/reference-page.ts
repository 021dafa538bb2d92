import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Context, Middleware } from 'koa';
import { TITLE } from '../../procedures/document/introduction.ts';
import { encodeContent, setEncodedBody } from '../http/compression.ts';
import type { EncodedContent } from '../http/compression.ts';
import { noSuchPath, requireSafeMethod } from '../http/error-handler.ts';

/** Path of the reference page. */
export const REFERENCE_PATH = '/docs/reference';

/** Scalar's browser bundle, from its package for Fastify (decision 0015). */
const SCALAR_BUNDLE = new URL('js/standalone.js', import.meta.resolve('@scalar/fastify-api-reference'));
/** What code samples show until the user enters a key. The bundle has no option for it, and a value in the field would stay before a pasted key. */
const KEY_PLACEHOLDER = ['YOUR_SECRET_TOKEN', 'svc_sk_live_YOUR_KEY'] as const;
const PAGE_DIR = new URL('reference/', import.meta.url);

/** A static file. Its path contains a hash of its content, so browsers may cache it permanently. */
interface Asset {
  type: string;
  content: EncodedContent;
}

interface Assets {
  byPath: Map<string, Asset>;
  /** Path of each file, by its placeholder in the page. */
  paths: Record<'bundle' | 'script' | 'style', string>;
  page: string;
}

/**
 * Serves the API reference, in which users can also send requests with their API key. All files come from this server, so
 * the browser contacts no other host. The files are loaded at the first request, so that they do not delay the start.
 */
export function referencePage(): Middleware {
  let loaded: Promise<Assets> | undefined;
  return async (ctx) => {
    requireSafeMethod(ctx);
    const assets = await (loaded ??= loadAssets());
    if (ctx.path === REFERENCE_PATH || ctx.path === `${REFERENCE_PATH}/`) sendPage(ctx, assets);
    else sendAsset(ctx, assets.byPath.get(ctx.path));
  };
}

async function loadAssets(): Promise<Assets> {
  const [page, bundle, script, style] = await Promise.all([
    readFile(new URL('page.html', PAGE_DIR), 'utf8'),
    loadAsset(SCALAR_BUNDLE, 'js', 'text/javascript; charset=utf-8', (text) => text.replaceAll(...KEY_PLACEHOLDER)),
    loadAsset(new URL('page.js', PAGE_DIR), 'js', 'text/javascript; charset=utf-8'),
    loadAsset(new URL('page.css', PAGE_DIR), 'css', 'text/css; charset=utf-8'),
  ]);
  return {
    byPath: new Map([bundle, script, style].map(({ path, asset }) => [path, asset])),
    paths: { bundle: bundle.path, script: script.path, style: style.path },
    page,
  };
}

async function loadAsset(
  file: URL,
  extension: string,
  type: string,
  change = (text: string) => text,
): Promise<{ path: string; asset: Asset }> {
  const content = await encodeContent(Buffer.from(change(await readFile(file, 'utf8'))));
  return { path: `${REFERENCE_PATH}/${content.digest}.${extension}`, asset: { type, content } };
}

/**
 * Builds a policy that blocks all other hosts. Style sheets need the nonce of the response or come from this server. The
 * bundle sets `style` attributes (`--line-count: 3`), so the policy allows these.
 * https://www.w3.org/TR/CSP3/
 */
const contentSecurityPolicy = (nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "form-action 'none'",
  ].join('; ');

function sendPage(ctx: Context, { page, paths }: Assets): void {
  const nonce = randomBytes(16).toString('base64');
  const values = new Map(Object.entries({ ...paths, nonce, title: TITLE }));
  ctx.set({ 'Content-Security-Policy': contentSecurityPolicy(nonce), 'Referrer-Policy': 'same-origin' });
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = page.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => values.get(name) ?? '');
}

function sendAsset(ctx: Context, asset: Asset | undefined): void {
  if (asset === undefined) throw noSuchPath();
  ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
  ctx.type = asset.type;
  setEncodedBody(ctx, asset.content);
}
