import { nodeHTTPRequestHandler } from '@trpc/server/adapters/node-http';
import type { Middleware, ParameterizedContext } from 'koa';
import type { Logger } from 'pino';
import { refusalOf } from '../procedures/errors.ts';
import { appRouter } from '../procedures/index.ts';
import type { Context } from '../procedures/trpc.ts';
import type { Authentication } from './context.ts';
import { BODY_BYTES, readJsonBody } from './json-body.ts';
import { headersOf, report } from './refuse.ts';
import type { State } from './refuse.ts';

/** Calls in one batch. */
const MAX_BATCH = 20;

/** The procedures over tRPC, with its own adapter, the same principals, bodies and errors. */
export function rpc(authenticate: Authentication['any'], log: Logger): Middleware<State> {
  return async (ctx) => {
    const { requestId } = ctx.state;
    // Refused here, told by the adapter in its own form: from createContext, which comes before any procedure.
    const admitted = await admit(authenticate, ctx).catch((error: unknown) => ({ refusal: refusalOf(error) }));
    ctx.respond = false;
    ctx.res.statusCode = 200; // the adapter leaves any other as it is, and Koa starts with 404
    await nodeHTTPRequestHandler({
      req: ctx.req,
      res: ctx.res,
      path: ctx.path.slice('/trpc/'.length),
      router: appRouter,
      maxBodySize: BODY_BYTES,
      maxBatchSize: MAX_BATCH,
      createContext: async () => {
        if ('refusal' in admitted) throw admitted.refusal;
        return admitted;
      },
      onError: ({ error }) => report(log, requestId, refusalOf(error)),
      responseMeta: ({ errors }) => ({
        headers: Object.assign({}, ...errors.map((error) => headersOf(refusalOf(error)))),
      }),
    });
  };
}

/** Who asks; and reads the body as REST does, so that the same is refused on both roads. */
async function admit(authenticate: Authentication['any'], ctx: ParameterizedContext<State>): Promise<Context> {
  const { context, headers } = await authenticate({
    headers: ctx.req.headers,
    address: ctx.ip,
    requestId: ctx.state.requestId,
  });
  ctx.set(headers);
  if (ctx.method === 'POST' && ctx.get('Content-Length') !== '0') {
    Object.assign(ctx.req, { body: await readJsonBody(ctx) });
  }
  return context;
}
