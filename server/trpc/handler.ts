import type { AnyTRPCRouter } from '@trpc/server';
import type { Middleware, ParameterizedContext } from 'koa';
import type { Logger } from 'pino';
import { ApiError } from '../../entities/api-error.ts';
import { definitionOf } from '../../procedures/core/compile.ts';
import { toApiError } from '../../procedures/core/errors.ts';
import type { Context } from '../../procedures/core/context.ts';
import { appRouter } from '../../procedures/index.ts';
import type { Authentication } from '../auth/authenticate.ts';
import type { RateLimits } from '../auth/rate-limit.ts';
import { requestControl } from '../auth/request-control.ts';
import { errorHeaders, isSafeMethod, logError } from '../http/error-handler.ts';
import type { RequestState } from '../http/request-state.ts';
import { MAX_BODY_BYTES, readJsonText } from '../http/json-body.ts';

/** Maximum number of calls in a batch. */
const MAX_BATCH_SIZE = 20;

/** Imports the adapter at the first call: it loads `fetch`, which would delay the start of the service. */
const loadAdapter = () => import('@trpc/server/adapters/node-http');

/** Serves the procedures through tRPC's HTTP adapter, with the authentication, body limits and errors of REST. */
export function trpcHandler(
  authenticate: Authentication['anyCredential'],
  log: Logger,
  limits?: RateLimits,
  router: AnyTRPCRouter = appRouter,
): Middleware<RequestState> {
  return async (ctx) => {
    const { requestId } = ctx.state;
    ctx.state.route = routeLabel(ctx);
    rejectTrace(ctx);
    // createContext throws this error before any procedure runs, so the adapter formats it as a tRPC error.
    const contextOrError = await authenticateRequest(authenticate, ctx, limits, router).catch((error: unknown) => ({
      apiError: toApiError(error),
    }));
    const varyHeader = ctx.res.hasHeader('Vary') && { Vary: ctx.response.get('Vary') };
    const { nodeHTTPRequestHandler } = await loadAdapter();
    // The adapter builds a URL from the request target and Host, and fails if they are malformed or contain credentials.
    // Its error for a batch that is too large names no limit. Sent as a single call, the batch gets the error of createContext.
    const isTooLarge = countCalls(ctx) > MAX_BATCH_SIZE;
    const calls = ctx.path.slice('/trpc/'.length);
    const [firstCall = ''] = calls.split(/,|%2c/i, 1);
    ctx.req.url = isTooLarge ? ctx.path : ctx.path + ctx.search;
    ctx.req.headers.host = 'localhost';
    ctx.respond = false;
    ctx.res.statusCode = 200; // the adapter keeps any other status, and Koa starts with 404
    await nodeHTTPRequestHandler({
      req: ctx.req,
      res: ctx.res,
      path: isTooLarge ? firstCall : calls,
      router,
      maxBodySize: maxBodyBytesOf(ctx, router),
      maxBatchSize: MAX_BATCH_SIZE,
      createContext: async (): Promise<Context> => {
        if ('apiError' in contextOrError) throw contextOrError.apiError;
        return contextOrError;
      },
      onError: ({ error }) => logError(log, requestId, toApiError(error)),
      responseMeta: ({ errors }) => ({
        headers: new Headers({
          ...varyHeader, // merged with the adapter's own `Vary`, which would replace it
          ...Object.assign({}, ...errors.map((error) => errorHeaders(toApiError(error)))),
        }),
      }),
    });
  };
}

/** @throws ApiError 405 for TRACE: the Fetch API forbids it, so the adapter of tRPC cannot respond to it */
function rejectTrace(ctx: ParameterizedContext<RequestState>): void {
  if (ctx.method !== 'TRACE') return;
  ctx.set('Allow', 'GET, HEAD, POST');
  throw new ApiError('method_not_allowed', 'This path takes GET, HEAD, POST.');
}

/** Authenticates a request, checks its limits and headers, and reads its body with the errors of REST. */
async function authenticateRequest(
  authenticate: Authentication['anyCredential'],
  ctx: ParameterizedContext<RequestState>,
  limits: RateLimits | undefined,
  router: AnyTRPCRouter,
): Promise<Context> {
  const authenticateAgain = () =>
    authenticate({
      headers: ctx.req.headers,
      address: ctx.ip,
      requestId: ctx.state.requestId,
      readOnly: isSafeMethod(ctx.method),
    });
  const { context, headers } = await authenticateAgain();
  ctx.state.principal = context.session.principal;
  ctx.set(headers);
  const calls = countCalls(ctx);
  const rateLimitError = await limits?.consume(ctx.res, context, calls);
  if (rateLimitError !== undefined) throw rateLimitError;
  if (calls > MAX_BATCH_SIZE) {
    throw new ApiError(
      'invalid_request',
      `batch: expected at most ${MAX_BATCH_SIZE} calls; set maxItems in httpBatchLink`,
    );
  }
  rejectRestHeaders(ctx);
  if (ctx.method === 'POST' && ctx.get('Content-Length') !== '0') {
    Object.assign(ctx.req, { body: await readJsonText(ctx, maxBodyBytesOf(ctx, router)) });
  }
  return { ...context, ...requestControl(ctx, context, authenticateAgain, limits) };
}

/**
 * Rejects headers that tRPC does not support. In a batch, they would not belong to a particular call. Ignoring them would
 * mislead a client that relies on them.
 * @throws ApiError 400
 */
function rejectRestHeaders({ req: { headers } }: ParameterizedContext<RequestState>): void {
  for (const name of ['If-Match', 'Idempotency-Key'])
    if (headers[name.toLowerCase()] !== undefined) {
      throw new ApiError('invalid_request', `${name}: supported only below /external`);
    }
}

/** Returns the route for logs and metrics: the procedure, or one label for batches and unknown names. */
function routeLabel({ path }: ParameterizedContext<RequestState>): string {
  const name = path.slice('/trpc/'.length);
  return Object.hasOwn(appRouter._def.procedures, name) ? `/trpc/${name}` : '/trpc/{procedures}';
}

/** Returns the body limit of the called procedure. A batch of calls has the common limit. */
function maxBodyBytesOf({ path }: ParameterizedContext<RequestState>, router: AnyTRPCRouter): number {
  const name = path.slice('/trpc/'.length);
  const isProcedure = Object.hasOwn(router._def.procedures, name);
  return (isProcedure ? definitionOf(router, name).meta.maxBodyBytes : undefined) ?? MAX_BODY_BYTES;
}

/** Counts calls as the adapter does, which decodes the path before it splits it. */
function countCalls({ path, querystring }: ParameterizedContext<RequestState>): number {
  return new URLSearchParams(querystring).get('batch') === '1' ? path.split(/,|%2c/i).length : 1;
}
