import { randomUUID } from 'node:crypto';
import { nodeHTTPRequestHandler } from '@trpc/server/adapters/node-http';
import Koa from 'koa';
import type { Middleware, ParameterizedContext } from 'koa';
import type { Logger } from 'pino';
import { asRefusal } from '../entities/database/failure.ts';
import type { Database } from '../entities/database/database.ts';
import { Refusal } from '../entities/refusal.ts';
import { ERRORS, refusalOf } from '../procedures/errors.ts';
import { appRouter } from '../procedures/index.ts';
import type { Context } from '../procedures/trpc.ts';
import { authentication } from './context.ts';
import type { Authentication } from './context.ts';
import { BODY_BYTES, readJsonBody } from './json-body.ts';
import { openApiDocument } from './openapi.ts';
import { rest } from './rest.ts';
import { REPORTS, secretScanning } from './secret-scanning.ts';

interface State {
  requestId: string;
}

/** Calls in one batch over tRPC. */
const MAX_BATCH = 20;
const SANE_REQUEST_ID = /^[\w.:-]{1,128}$/;
const AUTHENTICATE = 'ApiKey realm="external", header="X-API-Key"';
const RETRY_SECONDS = '1';

/** What is off or none unless it is set. */
interface AppOptions {
  /** How many proxies' X-Forwarded-For is believed. */
  trustProxy?: number;
  /** Where a scanner for leaked secrets publishes its keys; left out, no reports are received. */
  secretScanningKeysUrl?: string | undefined;
}

/** The whole service but its socket: what a request meets, in this order. */
export function createApp(
  database: Database,
  operatorToken: string,
  log: Logger,
  { trustProxy = 0, secretScanningKeysUrl }: AppOptions = {},
): Koa<State> {
  const authenticate = authentication(database, operatorToken);
  // The caller's address is what the outermost proxy of ours saw: so many entries from the end of X-Forwarded-For.
  const app = new Koa<State>({ proxy: trustProxy > 0, maxIpsCount: trustProxy });
  app.silent = true; // what goes wrong is logged below, and a client that goes away is no fault
  app.use(identify);
  app.use(refuse(log));
  app.use(readTarget);
  app.use(below('/external', rest(authenticate.apiKey)));
  app.use(below('/trpc', trpc(authenticate.any, log)));
  if (secretScanningKeysUrl !== undefined)
    app.use(below(REPORTS, secretScanning(database, secretScanningKeysUrl, log)));
  app.use(open(database));
  return app;
}

/** Headers that every answer carries. A sane inbound X-Request-Id is kept. */
const identify: Middleware<State> = async (ctx, next) => {
  const inbound = ctx.get('X-Request-Id');
  ctx.state.requestId = SANE_REQUEST_ID.test(inbound) ? inbound : randomUUID();
  ctx.set({ 'X-Request-Id': ctx.state.requestId, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
  await next();
};

/** A target that is no URL is refused here, where it is first read. */
const readTarget: Middleware<State> = async (ctx, next) => {
  try {
    void ctx.path;
  } catch (cause) {
    throw new Refusal('invalid_request', 'This is not a path.', { cause });
  }
  await next();
};

/** The one try/catch: whatever is thrown below becomes a status and `{error}`. */
function refuse(log: Logger): Middleware<State> {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const refusal = refusalOf(error);
      const { status } = ERRORS[refusal.code];
      report(log, ctx.state.requestId, refusal);
      ctx.status = status;
      ctx.set('X-Error-Code', refusal.code);
      if (status === 401) ctx.set('WWW-Authenticate', AUTHENTICATE);
      if (status === 503 && !ctx.res.hasHeader('Retry-After')) ctx.set('Retry-After', RETRY_SECONDS);
      ctx.type = 'application/json';
      ctx.body = JSON.stringify({ error: refusal.message });
    }
  };
}

/** Faults of ours, of the database and of what else we ask go to the log with their cause; what the caller did wrong does not. */
function report(log: Logger, requestId: string, { code, cause }: Refusal): void {
  if (code === 'internal') log.error({ requestId, err: cause }, 'a request failed');
  if (code === 'unavailable') log.warn({ requestId, err: cause }, 'a request could not be served');
}

function below(prefix: string, inner: Middleware<State>): Middleware<State> {
  return (ctx, next) => (ctx.path === prefix || ctx.path.startsWith(`${prefix}/`) ? inner(ctx, next) : next());
}

/** The procedures over tRPC, with its own adapter, the same principals, bodies and errors. */
function trpc(authenticate: Authentication['any'], log: Logger): Middleware<State> {
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
      responseMeta: ({ errors }) => {
        const statuses = new Set(errors.map((error) => ERRORS[refusalOf(error).code].status));
        return {
          headers: {
            ...(statuses.has(401) && { 'WWW-Authenticate': AUTHENTICATE }),
            ...(statuses.has(503) && { 'Retry-After': RETRY_SECONDS }),
          },
        };
      },
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

/** What needs no key. */
function open(database: Database): Middleware<State> {
  const document = JSON.stringify(openApiDocument());
  return async (ctx) => {
    const page = OPEN_PAGES.find((path) => path === ctx.path);
    if (page === undefined) throw new Refusal('not_found', 'No such path.');
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      ctx.set('Allow', 'GET, HEAD');
      throw new Refusal('method_not_allowed', 'This path takes GET, HEAD.');
    }
    ctx.type = 'application/json';
    if (page === '/readyz') await ready(database);
    ctx.body = page === '/openapi.json' ? document : JSON.stringify({ status: 'ok' });
  };
}

const OPEN_PAGES = ['/healthz', '/readyz', '/openapi.json'] as const;

async function ready(database: Database): Promise<void> {
  try {
    await database.query('ready', 'select 1', []);
  } catch (error) {
    throw asRefusal(error) ?? error;
  }
}
