import type { Context as KoaContext } from 'koa';
import { methodNotAllowed, noSuchPath } from '../http/error-handler.ts';
import type { Route } from './route.ts';

/** Path parameters, before percent-decoding. */
export type PathInput = Readonly<Record<string, string>>;

/** Puts each route before those whose parameters match its literal segments: `/webhook/new` before `/webhook/{webhook}`. */
export const literalsFirst = (routes: readonly Route[]): Route[] =>
  routes.reduce<Route[]>((ordered, route) => {
    const index = ordered.findIndex(
      ({ pattern, template }) => pattern.test(route.template) && !route.pattern.test(template),
    );
    return ordered.toSpliced(index === -1 ? ordered.length : index, 0, route);
  }, []);

/** Finds the route of a request. @throws ApiError 404, or 405 with `Allow` */
export function matchRoute(routes: readonly Route[], ctx: KoaContext): { route: Route; path: PathInput } {
  const allowed: string[] = [];
  for (const route of routes) {
    const match = route.pattern.exec(ctx.path);
    if (match === null) continue;
    if (route.method === ctx.method || (route.method === 'GET' && ctx.method === 'HEAD')) {
      return { route, path: { ...match.groups } };
    }
    allowed.push(route.method, ...(route.method === 'GET' ? ['HEAD'] : []));
  }
  if (allowed.length === 0) throw noSuchPath();
  throw methodNotAllowed(ctx, allowed);
}
