import type { AnyTRPCRouter } from '@trpc/server';
import type { Middleware, ParameterizedContext } from 'koa';
import type { Logger } from 'pino';
import { ApiError } from '../../entities/api-error.ts';
import { definitionOf } from '../../procedures/core/declaration/compile.ts';
import { toApiError } from '../../procedures/core/errors.ts';
import type { Context, SignInAttempts } from '../../procedures/core/context.ts';
import { VERSION } from '../../database/version.ts';
import type { Services } from '../../procedures/core/services.ts';
import { appRouter } from '../../procedures/index.ts';
import type { Authentication } from '../auth/authenticate.ts';
import type { RateLimits } from '../auth/rate-limit.ts';
import { requestOrigin } from '../auth/same-origin.ts';
import { requestControl } from '../auth/request-control.ts';
import type { SessionCookie } from '../auth/cookies.ts';
import { errorHeaders, isSafeMethod, noteError, methodNotAllowed } from '../http/error-handler.ts';
import { identify } from '../http/load-shedding.ts';
import type { RequestState } from '../http/request-state.ts';
import { MAX_BODY_BYTES, readJsonText } from '../http/body/json-body.ts';
import { sendChunks } from '../rest/response/stream.ts';
import { CallLimit } from './call-limit.ts';
import { rejectRestHeaders } from '../rest/request-headers.ts';

/** Maximum number of calls in a batch. */
const MAX_BATCH_SIZE = 20;
/** Maximum number of calls of a batch that run at a time, so that a batch is one request among others. */
const MAX_CONCURRENT_CALLS = 4;

/** Imports the adapter at the first call: it loads `fetch`, which would delay the start of the service. */
const loadAdapter = () => import('@trpc/server/adapters/node-http');
const loadResolver = () => import('@trpc/server/http');

interface TrpcOptions {
  services?: Services | undefined;
  attempts?: SignInAttempts | undefined;
  /** Cookie of browser sessions. */
  cookie?: SessionCookie | undefined;
  limits?: RateLimits | undefined;
  router?: AnyTRPCRouter;
}

/** Serves the procedures through tRPC's HTTP adapter, with the authentication, body limits and errors of REST. */
export function trpcHandler(
  authenticate: Authentication['anyCredential'],
  log: Logger,
  { services, attempts, cookie, limits, router = appRouter }: TrpcOptions,
): Middleware<RequestState> {
  return async (ctx) => {
    ctx.state.route = routeLabel(ctx);
    // The Fetch API forbids TRACE, so the adapter of tRPC cannot respond to it.
    if (ctx.method === 'TRACE') throw methodNotAllowed(ctx, ['GET', 'HEAD', 'POST']);
    // createContext throws this error before any procedure runs, so the adapter formats it as a tRPC error.
    const contextOrError = await authenticateRequest(authenticate, ctx, services, limits, router).catch(
      (error: unknown) => ({
        apiError: toApiError(error),
      }),
    );
    const [{ incomingMessageToRequest }, { resolveResponse }] = await Promise.all([loadAdapter(), loadResolver()]);
    // The adapter builds a URL from the request target and Host, and fails if they are malformed or contain credentials.
    // Its error for a batch that is too large names no limit. Sent as a single call, the batch gets the error of createContext.
    const isTooLarge = countCalls(ctx) > MAX_BATCH_SIZE;
    const calls = ctx.path.slice('/trpc/'.length);
    const [firstCall = ''] = calls.split(/,|%2c/i, 1);
    ctx.req.url = isTooLarge ? ctx.path : ctx.path + ctx.search;
    ctx.req.headers.host = 'localhost';
    const response = await resolveResponse({
      req: incomingMessageToRequest(ctx.req, ctx.res, { maxBodySize: maxBodyBytesOf(ctx, router) }),
      path: isTooLarge ? firstCall : calls,
      router,
      maxBatchSize: MAX_BATCH_SIZE,
      error: null,
      createContext: async (): Promise<Context> => {
        if ('apiError' in contextOrError) throw contextOrError.apiError;
        return { ...contextOrError, attempts, setSessionToken: cookie && sessionTokenSetter(ctx, cookie) };
      },
      onError: ({ error }) => noteError(log, ctx.state, toApiError(error)),
      responseMeta: ({ errors }) => ({
        headers: new Headers(Object.assign({}, ...errors.map((error) => errorHeaders(toApiError(error))))),
      }),
    });
    await send(ctx, response);
  };
}

/** Sends a response of tRPC: whole, except that the parts of a streamed batch leave as they come. */
async function send(ctx: ParameterizedContext<RequestState>, response: Response): Promise<void> {
  const { body, headers, status } = response;
  for (const [name, value] of headers)
    if (name === 'vary') ctx.vary(value);
    else if (name !== 'transfer-encoding') ctx.set(name, value); // the server encodes the transfer itself
  if (body !== null && headers.has('transfer-encoding')) {
    // Each call that waits listens for the end of the connection, beside the stream.
    ctx.res.setMaxListeners(ctx.res.getMaxListeners() + MAX_BATCH_SIZE);
    await sendChunks(ctx, () => body, { isCompressed: true });
    return;
  }
  ctx.body = body === null ? null : await response.text();
  ctx.status = status;
}

/** Sets the cookie with a new token. A streamed batch has sent its headers before its calls end. */
const sessionTokenSetter =
  (ctx: ParameterizedContext<RequestState>, cookie: SessionCookie) =>
  (token: string): void => {
    if (ctx.res.headersSent)
      throw new ApiError(
        'invalid_request',
        'trpc-accept: this procedure sets a cookie, so its response cannot be streamed',
      );
    ctx.res.setHeader('Set-Cookie', cookie.header(token));
  };

/** Authenticates a request, checks its limits and headers, and reads its body with the errors of REST. */
async function authenticateRequest(
  authenticate: Authentication['anyCredential'],
  ctx: ParameterizedContext<RequestState>,
  services: Services | undefined,
  limits: RateLimits | undefined,
  router: AnyTRPCRouter,
): Promise<Context> {
  const sentTo = requestOrigin(ctx); // before `Host` is replaced
  const authenticateAgain = () =>
    authenticate({
      headers: ctx.req.headers,
      address: ctx.ip,
      requestId: ctx.state.requestId,
      requestOrigin: () => sentTo,
      onKey: (key) => (ctx.state.key = key),
      readOnly: isSafeMethod(ctx.method),
    });
  const { context, headers } = await authenticateAgain();
  if (context.caller === 'member') {
    ctx.set('X-Service-Version', VERSION); // only for people who are signed in
    rejectFormContentType(ctx);
  }
  await identify(ctx, context.session.principal);
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
  rejectRestHeaders(ctx.req.headers);
  if (ctx.method === 'POST' && ctx.get('Content-Length') !== '0') {
    Object.assign(ctx.req, { body: await readJsonText(ctx, maxBodyBytesOf(ctx, router)) });
  }
  const { consumeRequests, suspend } = requestControl(ctx, context, authenticateAgain, limits);
  const callLimit = new CallLimit(MAX_CONCURRENT_CALLS);
  return {
    ...context,
    services,
    consumeRequests,
    suspend: suspend && ((work) => suspend((disconnected) => callLimit.whileIdle(() => work(disconnected)))),
    ...(calls > 1 && { runCall: callLimit.run }),
  };
}

/**
 * Rejects a body that is not JSON from a browser session, because forms of other sites can send such bodies.
 * @throws ApiError 403
 */
function rejectFormContentType(ctx: ParameterizedContext<RequestState>): void {
  if (ctx.method !== 'POST' || ctx.get('Content-Length') === '0' || ctx.request.type === 'application/json') return;
  ctx.req.headers['content-type'] = 'application/json'; // else the adapter responds 415, before it calls createContext
  throw new ApiError('forbidden', 'Content-Type: a session takes only application/json');
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
  return (isProcedure ? definitionOf(router, name).meta.body?.maxJsonBytes : undefined) ?? MAX_BODY_BYTES;
}

/** Counts calls as the adapter does, which decodes the path before it splits it. */
function countCalls({ path, querystring }: ParameterizedContext<RequestState>): number {
  return new URLSearchParams(querystring).get('batch') === '1' ? path.split(/,|%2c/i).length : 1;
}
