import type { AnyTRPCRouter } from '@trpc/server';
import type { Middleware } from 'koa';
import { serviceRouter } from '../../procedures/index.ts';
import type { Authenticate, Credentials } from '../auth/credentials.ts';
import { requestOrigin } from '../auth/same-origin.ts';
import { isSafeMethod } from '../http/error-handler.ts';
import { identify } from '../http/load-shedding.ts';
import type { RequestState } from '../http/request-state.ts';
import { Exchange } from './exchange.ts';
import type { ExchangeServices } from './exchange.ts';
import { literalsFirst, matchRoute } from './route.ts';
import { respond } from './response/respond.ts';
import { selectStream } from './response/stream.ts';
import { compileRoutes, compileSessionRoutes } from './routes.ts';

interface RestOptions extends ExchangeServices {
  router?: AnyTRPCRouter;
  /** Prefix of the paths, in place of `/external`. */
  prefix?: `/${string}`;
  /** True to serve only the operations with `meta.session`, below `/session`. Other paths reach the next middleware. */
  forSessions?: true;
}

/**
 * Serves the procedures that have `meta.openapi` over REST. It replaces the Koa adapter of trpc-to-openapi, because the
 * contract forbids that adapter's type coercions and error bodies (decision 0002). The contract, section 2, defines
 * the order of the checks.
 */
export function restHandler(
  authenticate: Authenticate,
  { router = serviceRouter, prefix, forSessions, ...services }: RestOptions = {},
): Middleware<RequestState> {
  const routes = literalsFirst(forSessions ? compileSessionRoutes(router) : compileRoutes(router, prefix));
  return async (ctx, next) => {
    if (forSessions && !routes.some(({ pattern }) => pattern.test(ctx.path))) {
      await next();
      return;
    }
    const { requestId } = ctx.state;
    const credentials: Credentials = {
      headers: ctx.req.headers,
      address: ctx.ip,
      requestId,
      requestOrigin: () => requestOrigin(ctx),
      onKey: (key) => (ctx.state.key = key),
      readOnly: isSafeMethod(ctx.method),
    };
    const { context, headers: warnings } = await authenticate(credentials);
    await identify(ctx, context.session.principal);
    ctx.set(warnings);
    const rateLimitError = await services.limits?.consume(ctx.res, context);
    const { route: matched, path } = matchRoute(routes, ctx);
    const route = selectStream(matched, ctx);
    ctx.state.route = route.template;
    if (route.deprecationHeaders !== undefined) ctx.set(route.deprecationHeaders);
    if (rateLimitError !== undefined) throw rateLimitError;
    await respond(new Exchange(ctx, { route, path }, context, () => authenticate(credentials), services));
  };
}
