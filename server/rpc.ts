import type { AnyTRPCRouter } from '@trpc/server';
import type { Middleware, ParameterizedContext } from 'koa';
import type { Logger } from 'pino';
import { Refusal } from '../entities/refusal.ts';
import { refusalOf } from '../procedures/errors.ts';
import { appRouter } from '../procedures/index.ts';
import type { Context } from '../procedures/trpc.ts';
import type { Authentication } from './context.ts';
import { BODY_BYTES, readJsonBody } from './json-body.ts';
import type { Limits } from './limits.ts';
import { headersOf, isReading, report } from './refuse.ts';
import type { State } from './refuse.ts';

/** Calls in one batch. */
const MAX_BATCH = 20;

/** Loaded for the first call: it loads all of `fetch`, which takes 20 to 45 ms of a start. */
const adapter = () => import('@trpc/server/adapters/node-http');

/** The procedures over tRPC: its own adapter, with the principals, bodies and errors of REST. */
export function rpc(
  authenticate: Authentication['any'],
  log: Logger,
  limits?: Limits,
  router: AnyTRPCRouter = appRouter,
): Middleware<State> {
  return async (ctx) => {
    const { requestId } = ctx.state;
    ctx.state.route = routeOf(ctx);
    refuseTrace(ctx);
    // Refused here, told by the adapter in its own form: from createContext, which comes before any procedure.
    const admitted = await admit(authenticate, ctx, limits).catch((error: unknown) => ({ refusal: refusalOf(error) }));
    const varying = ctx.res.hasHeader('Vary') && { Vary: ctx.response.get('Vary') };
    const { nodeHTTPRequestHandler } = await adapter();
    // The adapter makes a URL of the target and Host, and fails if they are malformed or hold credentials.
    // Its own error for a batch that is too large names no limit. As a single call the batch gets the error of createContext.
    const isTooLarge = callsOf(ctx) > MAX_BATCH;
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
      maxBodySize: BODY_BYTES,
      maxBatchSize: MAX_BATCH,
      createContext: async (): Promise<Context> => {
        if ('refusal' in admitted) throw admitted.refusal;
        return admitted;
      },
      onError: ({ error }) => report(log, requestId, refusalOf(error)),
      responseMeta: ({ errors }) => ({
        headers: new Headers({
          ...varying, // added to the adapter's own, which would replace it
          ...Object.assign({}, ...errors.map((error) => headersOf(refusalOf(error)))),
        }),
      }),
    });
  };
}

/** @throws Refusal 405 for the one method of which the Fetch API makes no request, and so tRPC's adapter no answer */
function refuseTrace(ctx: ParameterizedContext<State>): void {
  if (ctx.method !== 'TRACE') return;
  ctx.set('Allow', 'GET, HEAD, POST');
  throw new Refusal('method_not_allowed', 'This path takes GET, HEAD, POST.');
}

/** Who asks; and reads the body as REST does, so that the same is refused on both roads. */
async function admit(
  authenticate: Authentication['any'],
  ctx: ParameterizedContext<State>,
  limits: Limits | undefined,
): Promise<Context> {
  const { context, headers } = await authenticate({
    headers: ctx.req.headers,
    address: ctx.ip,
    requestId: ctx.state.requestId,
    reads: isReading(ctx.method),
  });
  ctx.state.asks = context.session.principal;
  ctx.set(headers);
  const calls = callsOf(ctx);
  const excess = await limits?.count(ctx.res, context, calls);
  if (excess !== undefined) throw excess;
  if (calls > MAX_BATCH) {
    throw new Refusal('invalid_request', `batch: expected at most ${MAX_BATCH} calls; set maxItems in httpBatchLink`);
  }
  refuseRestHeaders(ctx);
  if (ctx.method === 'POST' && ctx.get('Content-Length') !== '0') {
    Object.assign(ctx.req, { body: await readJsonBody(ctx) });
  }
  return context;
}

/**
 * A call may be one of a batch, and then whose header it is nobody could tell. Who sends one counts on it, and is told.
 * @throws Refusal 400
 */
function refuseRestHeaders({ req: { headers } }: ParameterizedContext<State>): void {
  for (const name of ['If-Match', 'Idempotency-Key'])
    if (headers[name.toLowerCase()] !== undefined) {
      throw new Refusal('invalid_request', `${name}: is understood below /external only`);
    }
}

/** The procedure that is called, by its name; one pattern for batches, and for names that there are not. */
function routeOf({ path }: ParameterizedContext<State>): string {
  const name = path.slice('/trpc/'.length);
  return Object.hasOwn(appRouter._def.procedures, name) ? `/trpc/${name}` : '/trpc/{procedures}';
}

/** As many calls as the adapter makes of it: it decodes the path before it takes it apart. */
function callsOf({ path, querystring }: ParameterizedContext<State>): number {
  return new URLSearchParams(querystring).get('batch') === '1' ? path.split(/,|%2c/i).length : 1;
}
