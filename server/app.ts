import { randomUUID } from 'node:crypto';
import Koa from 'koa';
import type { Context, Middleware } from 'koa';
import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import { ApiError } from '../entities/api-error.ts';
import { BACKUP_PATH, backupRoute } from './backup/route.ts';
import { createAuthentication } from './auth/authenticate.ts';
import { cors } from './http/cors.ts';
import type { RateLimits } from './auth/rate-limit.ts';
import { observeRequests, logRequests } from './telemetry/request-observer.ts';
import type { RequestObserver } from './telemetry/request-observer.ts';
import { redactor } from './telemetry/redact.ts';
import { REFERENCE_PATH, referencePage } from './openapi/reference-page.ts';
import { noSuchPath, errorHandler, requireSafeMethod } from './http/error-handler.ts';
import type { RequestState } from './http/error-handler.ts';
import { restHandler } from './rest/handler.ts';
import { trpcHandler } from './trpc/handler.ts';
import { REPORTS_PATH, secretScanningRoute } from './secret-scanning/route.ts';
import { securityTxt } from './http/security-txt.ts';
import type { LoadShedder } from './http/load-shedding.ts';

const REQUEST_ID_PATTERN = /^[\w.:-]{1,128}$/;

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
  observers?: readonly RequestObserver[];
  /** Makes a trace of each request; left out, none is made. */
  traceMiddleware?: Middleware<RequestState> | undefined;
  /** What is refused while there is too much; left out, nothing is. */
  loadShedder?: LoadShedder | undefined;
  /** Whether the service is about to end. */
  isStopping?: () => boolean;
  /** DATA_DIR, for backups of the embedded database; left out, none are made. */
  dataDir?: string;
  /** What keys and addresses may ask; left out, as much as they like. */
  rateLimits?: RateLimits | undefined;
}

/** The whole service but its socket: what a request meets, in this order. */
export function createApp(
  database: Database,
  operatorToken: string,
  log: Logger,
  options: AppOptions = {},
): Koa<RequestState> {
  const { trustProxy = 0, secretScanningKeysUrl, corsOrigins = [], securityContact } = options;
  const {
    dataDir,
    rateLimits,
    warnings = [],
    loadShedder,
    isStopping = () => false,
    observers = [],
    traceMiddleware,
  } = options;
  const unlimitedAuthentication = createAuthentication(database, operatorToken);
  const authenticate = rateLimits?.failedAttempts.guard(unlimitedAuthentication) ?? unlimitedAuthentication;
  // The caller's address is what the outermost proxy of ours saw: so many entries from the end of X-Forwarded-For.
  const app = new Koa<RequestState>({ proxy: trustProxy > 0, maxIpsCount: trustProxy });
  app.silent = true; // what goes wrong is logged below, and a client that goes away is no fault
  app.use(assignRequestId(redactor([operatorToken])));
  if (traceMiddleware !== undefined) app.use(traceMiddleware);
  const requestObservers = [...logRequests(log), ...observers];
  if (requestObservers.length > 0) app.use(observeRequests(requestObservers));
  app.use(errorHandler(log));
  app.use(validateTarget);
  if (loadShedder !== undefined) app.use(loadShedder.middleware);
  if (corsOrigins.length > 0) {
    const corsMiddleware = cors(corsOrigins);
    for (const prefix of ['/external', '/trpc']) app.use(mount(prefix, corsMiddleware));
  }
  app.use(mount('/external', restHandler(authenticate.apiKey, rateLimits)));
  app.use(mount('/trpc', trpcHandler(authenticate.anyCredential, log, rateLimits)));
  if (dataDir !== undefined) app.use(mount(BACKUP_PATH, backupRoute(authenticate.anyCredential, database, dataDir)));
  if (secretScanningKeysUrl !== undefined)
    app.use(mount(REPORTS_PATH, secretScanningRoute(database, secretScanningKeysUrl, log)));
  if (securityContact !== undefined) app.use(securityTxt(securityContact));
  app.use(mount(REFERENCE_PATH, referencePage()));
  app.use(publicRoutes(database, warnings, isStopping));
  return app;
}

/**
 * Sets the headers of every response. A valid inbound X-Request-Id is kept, unless it contains a secret: the id is stored in the
 * audit log for ever.
 */
function assignRequestId(redact: (text: string) => string): Middleware<RequestState> {
  return async (ctx, next) => {
    const inbound = ctx.get('X-Request-Id');
    const isKept = REQUEST_ID_PATTERN.test(inbound) && redact(inbound) === inbound;
    ctx.state.requestId = isKept ? inbound : randomUUID();
    ctx.set({ 'X-Request-Id': ctx.state.requestId, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
    await next();
  };
}

/** Rejects a request without a path, or with more than one Host (RFC 9112, section 3.2). */
const validateTarget: Middleware<RequestState> = async (ctx, next) => {
  if (!hasPath(ctx)) throw new ApiError('invalid_request', 'The request target has no path.');
  const { rawHeaders } = ctx.req;
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host');
  if (hosts.length > 1) throw new ApiError('invalid_request', 'Host: expected once');
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

function mount(prefix: string, middleware: Middleware<RequestState>): Middleware<RequestState> {
  return (ctx, next) => {
    if (ctx.path !== prefix && !ctx.path.startsWith(`${prefix}/`)) return next();
    ctx.state.route = prefix;
    return middleware(ctx, next);
  };
}

/** What needs no key. */
function publicRoutes(
  database: Database,
  warnings: readonly string[],
  isStopping: () => boolean,
): Middleware<RequestState> {
  return async (ctx) => {
    const publicPath = PUBLIC_PATHS.find((path) => path === ctx.path);
    if (publicPath === undefined) throw noSuchPath();
    ctx.state.route = publicPath;
    requireSafeMethod(ctx);
    ctx.type = 'application/json';
    if (publicPath === '/readyz' && isStopping()) throw SHUTTING_DOWN;
    // What can still be read is served: a load balancer must not take it for gone.
    const status = publicPath === '/readyz' && (await database.isReadOnly()) ? 'read-only' : 'ok';
    const health = publicPath === '/readyz' && warnings.length > 0 ? { status, warnings } : { status };
    ctx.body = publicPath === '/openapi.json' ? await openApiBytes() : JSON.stringify(health);
  };
}

let cachedDocument: Promise<Buffer> | undefined;

/**
 * What makes the document is loaded when somebody asks for it: a start need not wait for that. All who take it, however slowly,
 * take the same bytes.
 */
const openApiBytes = (): Promise<Buffer> =>
  (cachedDocument ??= import('./openapi/document.ts').then(({ openApiText }) => Buffer.from(openApiText())));

const SHUTTING_DOWN = new ApiError('unavailable', 'The service is about to end.');

const PUBLIC_PATHS = ['/healthz', '/readyz', '/openapi.json'] as const;
