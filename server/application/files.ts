import { readFile, readdir } from 'node:fs/promises';
import { extname } from 'node:path';
import type { Context } from 'koa';
import { ApiError } from '../../entities/api-error.ts';
import { WORKER_POLICY, applicationPolicy, newNonce, pageHeaders } from './pages.ts';

/** Content codings of the build, best first, with the extensions of their files. */
const CODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** Placeholder of the nonce in the page. `app/vite.config.ts` writes it. */
const NONCE_PLACEHOLDER = '{{nonce}}';
/** Placeholder of `present` or `absent`. A page without a session cookie then sends no request for the session. */
const SESSION_PLACEHOLDER = '{{session}}';

/** Extension of workers. The build names all other scripts `.js`. */
const WORKER_EXTENSION = '.mjs';

export interface ApplicationFiles {
  /** Sends the page with a nonce of its own. @throws ApiError 503 without a build */
  sendPage: (ctx: Context, hasSessionCookie: boolean) => Promise<void>;
  /** Sends an asset. Only names in the listing of the directory are read. @returns false if there is none */
  sendAsset: (ctx: Context, name: string) => Promise<boolean>;
}

/** Sends the files of a build. Each is read once, at its first request, and stays in memory. */
export function applicationFiles(directory: URL): ApplicationFiles {
  const assetDirectory = new URL('assets/', directory);
  const names = once(async () => new Set(await readdir(assetDirectory)));
  const page = once(() => readFile(new URL('index.html', directory), 'utf8'));
  const contents = new Map<string, Promise<Buffer>>();

  function contentOf(name: string): Promise<Buffer> {
    const content = contents.get(name) ?? readFile(new URL(encodeURIComponent(name), assetDirectory));
    contents.set(name, content);
    return content;
  }

  return {
    sendPage: async (ctx, hasSessionCookie) => {
      const html = await page();
      if (html === undefined) throw new ApiError('unavailable', 'The application is not built: run npm run build:app');
      const nonce = newNonce();
      ctx.set(pageHeaders(applicationPolicy(nonce)));
      ctx.type = 'text/html; charset=utf-8';
      ctx.body = html
        .replaceAll(NONCE_PLACEHOLDER, nonce)
        .replaceAll(SESSION_PLACEHOLDER, hasSessionCookie ? 'present' : 'absent');
    },

    sendAsset: async (ctx, name) => {
      const listing = await names();
      if (listing?.has(name) !== true || CODINGS.some(([, extension]) => name.endsWith(extension))) return false;
      const coding = CODINGS.find(
        ([encoding, extension]) => listing.has(name + extension) && ctx.acceptsEncodings(encoding) !== false,
      );
      ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
      ctx.vary('Accept-Encoding');
      if (coding !== undefined) ctx.set('Content-Encoding', coding[0]);
      if (extname(name) === WORKER_EXTENSION) ctx.set('Content-Security-Policy', WORKER_POLICY);
      ctx.type = extname(name);
      ctx.body = await contentOf(name + (coding?.[1] ?? ''));
      return true;
    },
  };
}

/** Reads a value once. A path that does not exist is undefined and is read again at the next call. */
function once<Value>(read: () => Promise<Value>): () => Promise<Value | undefined> {
  let value: Value | undefined;
  return async () => {
    try {
      return (value ??= await read());
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  };
}
