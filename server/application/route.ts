import type { Middleware } from 'koa';
import type { SessionCookie } from '../auth/cookies.ts';
import { isSafeMethod, noSuchPath, requireSafeMethod } from '../http/error-handler.ts';
import { isNavigation } from './pages.ts';
import type { RequestState } from '../http/request-state.ts';
import type { ApplicationFiles } from './files.ts';

/** Prefix of the static files of the application. */
const ASSETS_PREFIX = '/assets/';

/** Paths that never show the application, also if a browser navigates to them. */
const API_PATHS = /^\/(?:external|trpc|session|docs|packages|assets|\.well-known|openapi\.json|healthz|readyz)(?:\/|$)/;

/** Directory of the build. */
const DEFAULT_DIRECTORY = new URL('../../app/dist/', import.meta.url);

/**
 * Serves the application at `/`, at every path that a browser navigates to, and its files at `/assets/`. Its modules are
 * loaded on the first request, which keeps the start fast. Contract, section 17.
 * @param cookie session cookie, whose presence the page shows
 * @param directory directory of the build
 */
export function applicationRoute(
  cookie: Pick<SessionCookie, 'read'>,
  directory: URL = DEFAULT_DIRECTORY,
): Middleware<RequestState> {
  let files: Promise<ApplicationFiles> | undefined;
  return async (ctx, next) => {
    const { path } = ctx;
    const isAsset = path.startsWith(ASSETS_PREFIX);
    const isPage = path === '/' || (isSafeMethod(ctx.method) && isNavigation(ctx) && !API_PATHS.test(path));
    if (!isAsset && !isPage) {
      await next();
      return;
    }
    requireSafeMethod(ctx);
    const { sendAsset, sendPage } = await (files ??= loadFiles(directory));
    ctx.state.route = isAsset ? '/assets' : '/';
    if (!isAsset) await sendPage(ctx, cookie.read(ctx.headers) !== undefined);
    else if (!(await sendAsset(ctx, path.slice(ASSETS_PREFIX.length)))) throw noSuchPath();
  };
}

const loadFiles = (directory: URL): Promise<ApplicationFiles> =>
  import('./files.ts').then(({ applicationFiles }) => applicationFiles(directory));
