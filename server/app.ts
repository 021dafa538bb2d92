import { randomUUID } from 'node:crypto';
import Koa from 'koa';
import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import type { Database } from '../entities/database/database.ts';
import { Refusal } from '../entities/refusal.ts';
import { authentication } from './context.ts';
import { openApiDocument } from './openapi.ts';
import { refuse } from './refuse.ts';
import type { State } from './refuse.ts';
import { rest } from './rest.ts';
import { rpc } from './rpc.ts';
import { REPORTS, secretScanning } from './secret-scanning.ts';

const SANE_REQUEST_ID = /^[\w.:-]{1,128}$/;

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
  app.use(below('/trpc', rpc(authenticate.any, log)));
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

function below(prefix: string, inner: Middleware<State>): Middleware<State> {
  return (ctx, next) => (ctx.path === prefix || ctx.path.startsWith(`${prefix}/`) ? inner(ctx, next) : next());
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
    if (page === '/readyz') await database.query('ready', 'select 1', []);
    ctx.body = page === '/openapi.json' ? document : JSON.stringify({ status: 'ok' });
  };
}

const OPEN_PAGES = ['/healthz', '/readyz', '/openapi.json'] as const;
