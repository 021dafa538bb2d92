import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Context, Middleware } from 'koa';
import { TITLE } from './introduction.ts';
import { noSuchPath, requireSafeMethod } from '../http/error-handler.ts';

/** Where the page is. */
export const REFERENCE_PATH = '/docs';

/** The bundle that Scalar's package for Fastify carries (docs/decisions, 0015). */
const SCALAR_BUNDLE = new URL('js/standalone.js', import.meta.resolve('@scalar/fastify-api-reference'));
const PAGE_DIR = new URL('reference/', import.meta.url);

/** A file as it is sent: named after its content, so that it may be kept for ever. */
interface Asset {
  type: string;
  encodings: { identity: Buffer; br: Buffer; gzip: Buffer };
}

interface Assets {
  byPath: Map<string, Asset>;
  /** The path of a file, by the name the page knows it by. */
  paths: Record<'bundle' | 'script' | 'style', string>;
  page: string;
}

/**
 * The reference made from the document, for people, and a try-it for those who have a key. Everything it needs comes
 * from here: a browser that shows it asks nobody else. Read when it is first asked for, so that starting pays nothing.
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
    loadAsset(SCALAR_BUNDLE, 'js', 'text/javascript; charset=utf-8'),
    loadAsset(new URL('page.js', PAGE_DIR), 'js', 'text/javascript; charset=utf-8'),
    loadAsset(new URL('page.css', PAGE_DIR), 'css', 'text/css; charset=utf-8'),
  ]);
  return {
    byPath: new Map([bundle, script, style].map(({ path, asset }) => [path, asset])),
    paths: { bundle: bundle.path, script: script.path, style: style.path },
    page,
  };
}

const compress = { br: promisify(brotliCompress), gzip: promisify(gzip) };

/** Compressed once, at a level at which the bundle takes a tenth of a second beside the server's own thread. */
const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };

async function loadAsset(file: URL, extension: string, type: string): Promise<{ path: string; asset: Asset }> {
  const identity = await readFile(file);
  const [br, gz] = await Promise.all([compress.br(identity, BROTLI_OPTIONS), compress.gzip(identity)]);
  const name = createHash('sha256').update(identity).digest('hex').slice(0, 16);
  return { path: `${REFERENCE_PATH}/${name}.${extension}`, asset: { type, encodings: { identity, br, gzip: gz } } };
}

/**
 * Nothing from elsewhere; style sheets are the page's own file, or carry the nonce of this very answer. The bundle sets
 * styles of single elements as it goes (`--line-count: 3`), so those are allowed.
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
  ctx.set({ 'Content-Security-Policy': contentSecurityPolicy(nonce), 'Referrer-Policy': 'no-referrer' });
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = page.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => values.get(name) ?? '');
}

function sendAsset(ctx: Context, asset: Asset | undefined): void {
  if (asset === undefined) throw noSuchPath();
  // One by one, as browsers name them all alike, and brotli last.
  const contentEncoding =
    (['br', 'gzip'] as const).find((encoding) => ctx.acceptsEncodings(encoding) !== false) ?? 'identity';
  ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
  ctx.vary('Accept-Encoding');
  if (contentEncoding !== 'identity') ctx.set('Content-Encoding', contentEncoding);
  ctx.type = asset.type;
  ctx.body = asset.encodings[contentEncoding];
}
