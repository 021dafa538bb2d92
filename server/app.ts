import { randomUUID } from 'node:crypto';
import Koa from 'koa';
import type { Context, Middleware } from 'koa';
import type { Logger } from 'pino';
import type { Database } from '../entities/database/database.ts';
import { Refusal } from '../entities/refusal.ts';
import { BACKUP, backup } from './backup/route.ts';
import { authentication } from './context.ts';
import { crossOrigin } from './cross-origin.ts';
import type { Limits } from './limits.ts';
import { observe, toLog } from './observe.ts';
import type { Watcher } from './observe.ts';
import { redactor } from './redact.ts';
import { REFERENCE, reference } from './reference.ts';
import { noSuchPath, refuse, requireReading } from './refuse.ts';
import type { State } from './refuse.ts';
import { rest } from './rest.ts';
import { rpc } from './rpc.ts';
import { REPORTS, secretScanning } from './secret-scanning.ts';
import { securityTxt } from './security-txt.ts';
import type { Shedding } from './shedding.ts';

const SANE_REQUEST_ID = /^[\w.:-]{1,128}$/;

/** What is off or none unless it is set. */
interface AppOptions {
  /** How many proxies' X-Forwarded-For is believed. */
  trustProxy?: number;
  /** Where a scanner for leaked secrets publishes its keys; left out, no reports are received. */
  secretScanningKeysUrl?: string | undefined;
  /** Origins whose pages may ask from a browser. */
  corsOrigins?: readonly string[];
  /** Whom `/.well-known/security.txt` names; left out, there is none. */
  securityContact?: string | undefined;
  /** What an operator should mend, as `/readyz` tells. */
  warnings?: readonly string[];
  /** Who is told of each request, beside the log. */
  watchers?: readonly Watcher[];
  /** Makes a trace of each request; left out, none is made. */
  trace?: Middleware<State> | undefined;
  /** What is refused while there is too much; left out, nothing is. */
  shedding?: Shedding | undefined;
  /** Whether the service is about to end. */
  isStopping?: () => boolean;
  /** DATA_DIR, for backups of the embedded database; left out, none are made. */
  dataDir?: string;
  /** What keys and addresses may ask; left out, as much as they like. */
  limits?: Limits | undefined;
}

/** The whole service but its socket: what a request meets, in this order. */
export function createApp(
  database: Database,
  operatorToken: string,
  log: Logger,
  options: AppOptions = {},
): Koa<State> {
  const { trustProxy = 0, secretScanningKeysUrl, corsOrigins = [], securityContact } = options;
  const { dataDir, limits, warnings = [], shedding, isStopping = () => false, watchers = [], trace } = options;
  const unguarded = authentication(database, operatorToken);
  const authenticate = limits?.failures.guard(unguarded) ?? unguarded;
  // The caller's address is what the outermost proxy of ours saw: so many entries from the end of X-Forwarded-For.
  const app = new Koa<State>({ proxy: trustProxy > 0, maxIpsCount: trustProxy });
  app.silent = true; // what goes wrong is logged below, and a client that goes away is no fault
  app.use(identify(redactor([operatorToken])));
  if (trace !== undefined) app.use(trace);
  const told = [...toLog(log), ...watchers];
  if (told.length > 0) app.use(observe(told));
  app.use(refuse(log));
  app.use(readTarget);
  if (shedding !== undefined) app.use(shedding.middleware);
  if (corsOrigins.length > 0) {
    const fromBrowsers = crossOrigin(corsOrigins);
    for (const prefix of ['/external', '/trpc']) app.use(below(prefix, fromBrowsers));
  }
  app.use(below('/external', rest(authenticate.apiKey, limits)));
  app.use(below('/trpc', rpc(authenticate.any, log, limits)));
  if (dataDir !== undefined) app.use(below(BACKUP, backup(authenticate.any, database, dataDir)));
  if (secretScanningKeysUrl !== undefined)
    app.use(below(REPORTS, secretScanning(database, secretScanningKeysUrl, log)));
  if (securityContact !== undefined) app.use(securityTxt(securityContact));
  app.use(below(REFERENCE, reference()));
  app.use(open(database, warnings, isStopping));
  return app;
}

/**
 * Sets the headers of every response. A valid inbound X-Request-Id is kept, unless it contains a secret: the id is stored in the
 * audit log for ever.
 */
function identify(redact: (text: string) => string): Middleware<State> {
  return async (ctx, next) => {
    const inbound = ctx.get('X-Request-Id');
    const isKept = SANE_REQUEST_ID.test(inbound) && redact(inbound) === inbound;
    ctx.state.requestId = isKept ? inbound : randomUUID();
    ctx.set({ 'X-Request-Id': ctx.state.requestId, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
    await next();
  };
}

/** Rejects a request without a path, or with more than one Host (RFC 9112, section 3.2). */
const readTarget: Middleware<State> = async (ctx, next) => {
  if (!hasPath(ctx)) throw new Refusal('invalid_request', 'The request target has no path.');
  const { rawHeaders } = ctx.req;
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host');
  if (hosts.length > 1) throw new Refusal('invalid_request', 'Host: expected once');
  await next();
};

/** `ctx.path` throws for a malformed target, and is null for one like `http://`. */
function hasPath(ctx: Pick<Context, 'path'>): boolean {
  try {
    return typeof ctx.path === 'string';
  } catch {
    return false;
  }
}

function below(prefix: string, inner: Middleware<State>): Middleware<State> {
  return (ctx, next) => {
    if (ctx.path !== prefix && !ctx.path.startsWith(`${prefix}/`)) return next();
    ctx.state.route = prefix;
    return inner(ctx, next);
  };
}

/** What needs no key. */
function open(database: Database, warnings: readonly string[], isStopping: () => boolean): Middleware<State> {
  return async (ctx) => {
    const page = OPEN_PAGES.find((path) => path === ctx.path);
    if (page === undefined) throw noSuchPath();
    ctx.state.route = page;
    requireReading(ctx);
    ctx.type = 'application/json';
    if (page === '/readyz' && isStopping()) throw STOPPING;
    // What can still be read is served: a load balancer must not take it for gone.
    const status = page === '/readyz' && (await database.isReadOnly()) ? 'read-only' : 'ok';
    const told = page === '/readyz' && warnings.length > 0 ? { status, warnings } : { status };
    ctx.body = page === '/openapi.json' ? await openApiBytes() : JSON.stringify(told);
  };
}

let document: Promise<Buffer> | undefined;

/**
 * What makes the document is loaded when somebody asks for it: a start need not wait for that. All who take it, however slowly,
 * take the same bytes.
 */
const openApiBytes = (): Promise<Buffer> =>
  (document ??= import('./openapi.ts').then(({ openApiText }) => Buffer.from(openApiText())));

const STOPPING = new Refusal('unavailable', 'The service is about to end.');

const OPEN_PAGES = ['/healthz', '/readyz', '/openapi.json'] as const;
