import { randomUUID } from 'node:crypto';
import { nodeHTTPRequestHandler } from '@trpc/server/adapters/node-http';
import Koa from 'koa';
import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import { asRefusal } from '../entities/database/failure.ts';
import type { Database } from '../entities/database/database.ts';
import { Refusal } from '../entities/refusal.ts';
import { ERRORS, refusalOf } from '../procedures/errors.ts';
import { appRouter } from '../procedures/index.ts';
import { authentication } from './context.ts';
import type { Authentication } from './context.ts';
import { BODY_BYTES } from './json-body.ts';
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

/**
 * The whole service but its socket: what a request meets, in this order.
 * @param secretScanningKeysUrl where a scanner for leaked secrets publishes its keys; left out, no reports are received
 */
export function createApp(
  database: Database,
  operatorToken: string,
  log: Logger,
  secretScanningKeysUrl?: string,
): Koa<State> {
  const authenticate = authentication(database, operatorToken);
  const app = new Koa<State>();
  app.use(identify);
  app.use(refuse(log));
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

/** The procedures over tRPC, with its own adapter, the same principals and the same errors. */
function trpc(authenticate: Authentication['any'], log: Logger): Middleware<State> {
  return async (ctx) => {
    const { requestId } = ctx.state;
    ctx.respond = false;
    ctx.res.statusCode = 200; // the adapter leaves any other as it is, and Koa starts with 404
    await nodeHTTPRequestHandler({
      req: ctx.req,
      res: ctx.res,
      path: ctx.path.slice('/trpc/'.length),
      router: appRouter,
      maxBodySize: BODY_BYTES,
      maxBatchSize: MAX_BATCH,
      createContext: () => authenticate({ headers: ctx.req.headers, address: ctx.ip, requestId }),
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
