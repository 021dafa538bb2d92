import type { Middleware } from 'koa';
import type { ServiceFacts } from '../../procedures/sign-in/service-facts.ts';
import { requestOrigin } from '../auth/same-origin.ts';
import { isSafeMethod, methodNotAllowed, noSuchPath } from '../http/error-handler.ts';
import type { RequestState } from '../http/request-state.ts';
import { OpenIdClient } from './openid.ts';
import type { Context, SessionDependencies, SessionOptions, SessionRoute } from './route.ts';
import { Recent } from './recent.ts';
import { ROUTES } from './routes.ts';

/** Seconds after which the name of the only company is read again. */
const MAX_FACTS_AGE_SECONDS = 5;

/** Serves the routes with which browsers sign in and out. Contract, section 16. */
export function sessionHandler(options: SessionOptions): Middleware<RequestState> {
  const facts = new Recent<ServiceFacts>(MAX_FACTS_AGE_SECONDS);
  const openId = new OpenIdClient(options.services.appUrl, undefined, options.takesLocalProviders);
  const dependencies = { ...options, openId, facts };
  return async (ctx) => {
    const routes = ROUTES.filter(({ path }) => parameterOf(path, ctx.path) !== undefined);
    const [first] = routes;
    if (first === undefined) throw noSuchPath();
    ctx.state.route = first.path;
    const route = routes.find((candidate) => methodsOf(candidate).includes(ctx.method));
    if (route === undefined) throw methodNotAllowed(ctx, routes.flatMap(methodsOf));
    if (route.isCrossOrigin !== true) checkOrigin(ctx, dependencies);
    await route.handle(ctx, dependencies, parameterOf(route.path, ctx.path) ?? '');
  };
}

/**
 * Matches a path with the pattern of a route.
 * @returns value of the parameter at its end, empty without one; undefined for another path
 */
function parameterOf(pattern: string, path: string): string | undefined {
  const [prefix = '', parameter] = pattern.split('{');
  if (parameter === undefined) return path === pattern ? '' : undefined;
  const value = path.slice(prefix.length);
  return path.startsWith(prefix) && /^[\w-]+$/.test(value) ? value : undefined;
}

const methodsOf = ({ method, hasEffects }: SessionRoute): string[] =>
  method === 'GET' && hasEffects !== true ? ['GET', 'HEAD'] : [method];

/** @throws ApiError 403 */
function checkOrigin(ctx: Context, { sessions, origins }: SessionDependencies): void {
  const { headers } = ctx.req;
  const request = { headers, requestOrigin: requestOrigin(ctx), isSafe: isSafeMethod(ctx.method) };
  if (sessions.hasCookie(headers)) origins.requireSameOrigin(request);
  else origins.rejectCrossOrigin(request);
}
