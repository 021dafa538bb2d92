import type { AnyTRPCRouter } from '@trpc/server';
import type { Middleware, ParameterizedContext } from 'koa';
import type { Logger } from 'pino';
import { ApiError } from '../../entities/api-error.ts';
import { toApiError } from '../../procedures/core/errors.ts';
import { appRouter } from '../../procedures/index.ts';
import type { Context } from '../../procedures/core/trpc.ts';
import type { Authentication } from '../auth/authenticate.ts';
import { MAX_BODY_BYTES, readJsonBody } from '../http/json-body.ts';
import type { RateLimits } from '../auth/rate-limit.ts';
import { errorHeaders, isSafeMethod, logError } from '../http/error-handler.ts';
import type { RequestState } from '../http/error-handler.ts';

/** Calls in one batch. */
const MAX_BATCH_SIZE = 20;

/** Loaded for the first call: it loads all of `fetch`, which takes 20 to 45 ms of a start. */
const loadAdapter = () => import('@trpc/server/adapters/node-http');

/** The procedures over tRPC: its own adapter, with the principals, bodies and errors of REST. */
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
    // Refused here, told by the adapter in its own form: from createContext, which comes before any procedure.
    const contextOrError = await authenticateRequest(authenticate, ctx, limits).catch((error: unknown) => ({
      apiError: toApiError(error),
    }));
    const varyHeader = ctx.res.hasHeader('Vary') && { Vary: ctx.response.get('Vary') };
    const { nodeHTTPRequestHandler } = await loadAdapter();
    // The adapter makes a URL of the target and Host, and fails if they are malformed or hold credentials.
    // Its own error for a batch that is too large names no limit. As a single call the batch gets the error of createContext.
    const isTooLarge = countCalls(ctx) > MAX_BATCH_SIZE;
    const calls = ctx.path.slice('/trpc/'.length);
    const [firstCall = ''] = calls.split(/,|%2c/i, 1);
    ctx.req.url = isTooLarge ? ctx.path : ctx.path + ctx.search;
    ctx.req.headers.host = 'localhost';
    ctx.respond = false;
    ctx.res.statusCode = 200; // the adapter leaves any other as it is, and Koa starts with 404
    await nodeHTTPRequestHandler({
      req: ctx.req,
      res: ctx.res,
      path: isTooLarge ? firstCall : calls,
      router,
      maxBodySize: MAX_BODY_BYTES,
      maxBatchSize: MAX_BATCH_SIZE,
      createContext: async (): Promise<Context> => {
        if ('apiError' in contextOrError) throw contextOrError.apiError;
        return contextOrError;
      },
      onError: ({ error }) => logError(log, requestId, toApiError(error)),
      responseMeta: ({ errors }) => ({
        headers: new Headers({
          ...varyHeader, // added to the adapter's own, which would replace it
          ...Object.assign({}, ...errors.map((error) => errorHeaders(toApiError(error)))),
        }),
      }),
    });
  };
}

/** @throws Refusal 405 for the one method of which the Fetch API makes no request, and so tRPC's adapter no answer */
function rejectTrace(ctx: ParameterizedContext<RequestState>): void {
  if (ctx.method !== 'TRACE') return;
  ctx.set('Allow', 'GET, HEAD, POST');
  throw new ApiError('method_not_allowed', 'This path takes GET, HEAD, POST.');
}

/** Who asks; and reads the body as REST does, so that the same is refused on both roads. */
async function authenticateRequest(
  authenticate: Authentication['anyCredential'],
  ctx: ParameterizedContext<RequestState>,
  limits: RateLimits | undefined,
): Promise<Context> {
  const { context, headers } = await authenticate({
    headers: ctx.req.headers,
    address: ctx.ip,
    requestId: ctx.state.requestId,
    readOnly: isSafeMethod(ctx.method),
  });
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
    Object.assign(ctx.req, { body: await readJsonBody(ctx) });
  }
  return context;
}

/**
 * A call may be one of a batch, and then whose header it is nobody could tell. Who sends one counts on it, and is told.
 * @throws Refusal 400
 */
function rejectRestHeaders({ req: { headers } }: ParameterizedContext<RequestState>): void {
  for (const name of ['If-Match', 'Idempotency-Key'])
    if (headers[name.toLowerCase()] !== undefined) {
      throw new ApiError('invalid_request', `${name}: is understood below /external only`);
    }
}

/** The procedure that is called, by its name; one pattern for batches, and for names that there are not. */
function routeLabel({ path }: ParameterizedContext<RequestState>): string {
  const name = path.slice('/trpc/'.length);
  return Object.hasOwn(appRouter._def.procedures, name) ? `/trpc/${name}` : '/trpc/{procedures}';
}

/** As many calls as the adapter makes of it: it decodes the path before it takes it apart. */
function countCalls({ path, querystring }: ParameterizedContext<RequestState>): number {
  return new URLSearchParams(querystring).get('batch') === '1' ? path.split(/,|%2c/i).length : 1;
}
