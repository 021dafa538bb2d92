import type { Middleware } from 'koa';
import { requestOrigin } from '../auth/same-origin.ts';
import { methodNotAllowed, noSuchPath } from '../http/error-handler.ts';
import type { RequestState } from '../http/request-state.ts';
import { OpenIdClient } from './openid.ts';
import type { Context, SessionDependencies, SessionRoute } from './route.ts';
import { ROUTES } from './routes.ts';

/** Serves the routes with which browsers sign in and out. Contract, section 16. */
export function sessionHandler(options: Omit<SessionDependencies, 'openId'>): Middleware<RequestState> {
  const dependencies = { ...options, openId: new OpenIdClient(options.services.appUrl) };
  return async (ctx) => {
    const routes = ROUTES.filter(({ path }) => path === ctx.path);
    if (routes.length === 0) throw noSuchPath();
    ctx.state.route = ctx.path;
    const route = routes.find((candidate) => methodsOf(candidate).includes(ctx.method));
    if (route === undefined) throw methodNotAllowed(ctx, routes.flatMap(methodsOf));
    if (route.isCrossOrigin !== true) checkOrigin(ctx, dependencies);
    await route.handle(ctx, dependencies);
  };
}

const methodsOf = ({ method, hasEffects }: SessionRoute): string[] =>
  method === 'GET' && hasEffects !== true ? ['GET', 'HEAD'] : [method];

/** @throws ApiError 403 */
function checkOrigin(ctx: Context, { sessions, origins }: SessionDependencies): void {
  const { headers } = ctx.req;
  const request = { headers, requestOrigin: requestOrigin(ctx) };
  if (sessions.hasCookie(headers)) origins.requireSameOrigin(request);
  else origins.rejectCrossOrigin(request);
}
