import { isIP } from 'node:net';
import Koa from 'koa';
import type { Context, Middleware } from 'koa';
import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import { ApiError } from '../entities/api-error.ts';
import type { Services } from '../procedures/core/services.ts';
import { applicationRoute } from './application/route.ts';
import { BACKUP_PATH, backupRoute } from './backup/route.ts';
import { FILES_PATH, movedFilesRoute } from './move/route.ts';
import { createAuthentication } from './auth/authenticate.ts';
import { createWebhookClient } from './outbound/webhook-client.ts';
import { compressResponses, encodeContent, sendEncoded } from './http/compression.ts';
import type { EncodedContent } from './http/compression.ts';
import type { RateLimits } from './auth/rate-limit.ts';
import { countKeyUsage, observeRequests, logRequests, recordKeyRequests } from './telemetry/request-observer.ts';
import type { RequestObserver } from './telemetry/request-observer.ts';
import { redactor } from './telemetry/redact.ts';
import { assignRequestId } from './telemetry/request-id.ts';
import { REFERENCE_PATH, referencePage } from './openapi/reference-page.ts';
import { noSuchPath, errorHandler, requireSafeMethod } from './http/error-handler.ts';
import { PACKAGES_PATH, packages } from './http/packages.ts';
import type { RequestState } from './http/request-state.ts';
import type { McpOptions } from './mcp/handler.ts';
import { restHandler } from './rest/handler.ts';
import { trpcHandler } from './trpc/handler.ts';
import { REPORTS_PATH, secretScanningRoute } from './secret-scanning/route.ts';
import { sessionCookie } from './auth/cookies.ts';
import type { SessionOptions } from './session/route.ts';
import { errorPages } from './session/error-page.ts';
import { openSignInLimits } from './session/sign-in-limits.ts';
import type { SignInLimits } from './session/sign-in-limits.ts';
import { PageOrigins } from './auth/same-origin.ts';
import { createSessionAuthentication, onlySession } from './auth/web-session.ts';
import { signingKeys, securityTxt } from './http/well-known.ts';
import type { LoadShedder } from './http/load-shedding.ts';

/** Services of an application that serves only integrations. */
const NO_SERVICES: Services = {
  appUrl: () => 'http://localhost',
  encryption: undefined,
  hasMail: false,
  requirePublicUrl: createWebhookClient(false).requirePublicUrl,
};

/** Optional features. Each is off unless its option is set. */
interface AppOptions {
  /** Address on which the server listens; by default a loopback address. */
  host?: string;
  /** Number of trusted proxies in X-Forwarded-For. */
  trustProxy?: number;
  /** URL of the public keys of the secret scanner; enables the endpoint for its reports. */
  secretScanningKeysUrl?: string | undefined;
  /** Origins whose pages may send cross-origin requests. */
  corsOrigins?: readonly string[];
  /** Contact for vulnerability reports; enables `/.well-known/security.txt`. */
  securityContact?: string | undefined;
  /** Configuration problems for the operator, listed in `/readyz`. */
  warnings?: readonly string[];
  /** Observers of each request, in addition to the log. */
  observers?: readonly RequestObserver[];
  /** Middleware that traces each request. */
  traceMiddleware?: Middleware<RequestState> | undefined;
  /** Load shedder that rejects requests during overload. */
  loadShedder?: LoadShedder | undefined;
  /** Returns true during a shutdown. `/readyz` then responds 503. */
  isStopping?: () => boolean;
  /** DATA_DIR; enables the endpoint for backups of the embedded database. */
  dataDir?: string;
  /** Services that people need beside the database. */
  services?: Services;
  /** Returns true if identity providers may be on this machine; by default if APP_URL is. */
  takesLocalProviders?: () => boolean;
  /** Limits of failed sign-ins; by default those of this process. */
  signInLimits?: SignInLimits;
  /** Rate limits of API keys and addresses. */
  rateLimits?: RateLimits | undefined;
  /** Directory of the build of the web application; by default `app/dist`. */
  applicationDirectory?: URL | undefined;
  /** Directory of the packages for programs that call the server; by default `dist/packages`. */
  packageDirectory?: URL | undefined;
}

/** Creates the Koa application. The order of the middlewares is the order in which they handle a request. */
export function createApp(
  database: Database,
  operatorToken: string,
  log: Logger,
  options: AppOptions = {},
): Koa<RequestState> {
  const { trustProxy = 0, secretScanningKeysUrl, corsOrigins = [], securityContact, dataDir, rateLimits } = options;
  const {
    host = '127.0.0.1',
    applicationDirectory,
    packageDirectory,
    warnings = [],
    loadShedder,
    isStopping = () => false,
    observers = [],
    traceMiddleware,
    services = NO_SERVICES,
    signInLimits = openSignInLimits({ redisUrl: undefined }, log),
    takesLocalProviders,
  } = options;
  const cookie = sessionCookie(services.appUrl);
  const origins = new PageOrigins({ appUrl: services.appUrl, corsOrigins, host });
  const sessions = createSessionAuthentication(database, cookie, origins);
  const unlimitedAuthentication = createAuthentication(database, operatorToken, sessions);
  const authenticate = rateLimits?.failedAttempts?.guard(unlimitedAuthentication) ?? unlimitedAuthentication;
  // Koa reads X-Forwarded-For from its end, one entry per trusted proxy. https://koajs.com/#application
  const app = new Koa<RequestState>({ proxy: trustProxy > 0, maxIpsCount: trustProxy });
  app.silent = true; // the error handler logs errors; Koa would also log client disconnects
  const redact = redactor([operatorToken]);
  app.use(assignRequestId(redact));
  if (trustProxy > 0) app.use(readClientAddress);
  if (traceMiddleware !== undefined) app.use(traceMiddleware);
  const keyObservers = [countKeyUsage(database.apiKeyUsage), recordKeyRequests(database.apiKeyRequests, redact)];
  app.use(observeRequests([...keyObservers, ...logRequests(log), ...observers]));
  app.use(compressResponses);
  app.use(errorHandler(log));
  app.use(validateTarget);
  app.use(mount('/session/sso', errorPages(log)));
  if (loadShedder !== undefined) app.use(loadShedder.middleware);
  if (corsOrigins.length > 0) {
    const corsMiddleware = loadedLater(async () => (await import('./http/cors.ts')).cors(corsOrigins));
    for (const prefix of ['/external', '/trpc']) app.use(mount(prefix, corsMiddleware));
  }
  app.use(mount('/external', restHandler(authenticate.apiKey, { limits: rateLimits, services })));
  app.use(
    mount(
      '/trpc',
      trpcHandler(authenticate.anyCredential, log, { services, cookie, attempts: signInLimits, limits: rateLimits }),
    ),
  );
  app.use(mount('/session', restHandler(onlySession(sessions), { forSessions: true, limits: rateLimits, services })));
  app.use(
    mount(
      '/session',
      sessionRoutes({
        database,
        services,
        cookie,
        sessions,
        origins,
        attempts: signInLimits,
        log,
        takesLocalProviders,
      }),
    ),
  );
  app.use(mount('/mcp', mcpRoute({ authenticate: authenticate.apiKey, limits: rateLimits, origins, services, log })));
  app.use(mount(FILES_PATH, movedFilesRoute(authenticate.anyCredential, database, services)));
  if (dataDir !== undefined) app.use(mount(BACKUP_PATH, backupRoute(authenticate.anyCredential, database, dataDir)));
  if (secretScanningKeysUrl !== undefined)
    app.use(mount(REPORTS_PATH, secretScanningRoute(database, secretScanningKeysUrl, log)));
  if (securityContact !== undefined) app.use(securityTxt(securityContact));
  app.use(signingKeys(database, services.signing));
  app.use(mount(REFERENCE_PATH, referencePage()));
  const guides = guidesRoute(services.appUrl);
  for (const path of ['/docs', '/llms.txt']) app.use(mount(path, guides));
  app.use(mount(PACKAGES_PATH, packages(packageDirectory)));
  app.use(applicationRoute(cookie, applicationDirectory));
  app.use(publicRoutes(database, warnings, { isStopping, appUrl: services.appUrl }));
  return app;
}

function mount(prefix: string, middleware: Middleware<RequestState>): Middleware<RequestState> {
  return (ctx, next) => {
    if (ctx.path !== prefix && !ctx.path.startsWith(`${prefix}/`)) return next();
    ctx.state.route = prefix;
    return middleware(ctx, next);
  };
}

/** Routes below `/session`. */
const sessionRoutes = (dependencies: SessionOptions): Middleware<RequestState> =>
  loadedLater(async () => (await import('./session/routes.ts')).sessionHandler(dependencies));

/** The route of MCP. */
const mcpRoute = (options: McpOptions): Middleware<RequestState> =>
  loadedLater(async () => (await import('./mcp/handler.ts')).mcpHandler(options));

/** The guides for integrators, people and operators. Examples name `APP_URL`, never `Host`, which anybody may choose. */
const guidesRoute = (appUrl: () => string): Middleware<RequestState> =>
  loadedLater(async () => (await import('./docs/route.ts')).docsRoute(appUrl));

/** Loads the modules of a route on its first request, which keeps the start fast. */
function loadedLater(load: () => Promise<Middleware<RequestState>>): Middleware<RequestState> {
  let handler: Promise<Middleware<RequestState>> | undefined;
  return async (ctx, next) => (await (handler ??= load()))(ctx, next);
}

/** Routes without authentication: health checks and the OpenAPI document. */
function publicRoutes(
  database: Database,
  warnings: readonly string[],
  { isStopping, appUrl }: { isStopping: () => boolean; appUrl: () => string },
): Middleware<RequestState> {
  const sendDocument = documentRoute(appUrl);
  return async (ctx) => {
    const publicPath = PUBLIC_PATHS.find((path) => path === ctx.path);
    if (publicPath === undefined) throw noSuchPath();
    ctx.state.route = publicPath;
    requireSafeMethod(ctx);
    ctx.type = 'application/json';
    if (publicPath === '/readyz' && isStopping()) throw SHUTTING_DOWN;
    // A read-only database can still serve reads, so the load balancer must keep routing requests here.
    const status = publicPath === '/readyz' && (await database.isReadOnly()) ? 'read-only' : 'ok';
    const health = publicPath === '/readyz' && warnings.length > 0 ? { status, warnings } : { status };
    if (publicPath === '/openapi.json') await sendDocument(ctx);
    else ctx.body = JSON.stringify(health);
  };
}

/**
 * Sends the OpenAPI document, or 304 to a client that has it. The document names `APP_URL`, never `Host`, which anybody may choose. Its
 * modules are loaded on the first request, which keeps the start fast.
 */
function documentRoute(appUrl: () => string): (ctx: Context) => Promise<void> {
  let cachedDocument: Promise<EncodedContent> | undefined;
  const readDocument = async () => {
    const { openApiText } = await import('./openapi/document.ts');
    return encodeContent(Buffer.from(openApiText(appUrl())));
  };
  return async (ctx) => {
    cachedDocument ??= readDocument().catch((error: unknown) => {
      cachedDocument = undefined; // the next request tries again
      throw error;
    });
    sendEncoded(ctx, await cachedDocument);
  };
}

const SHUTTING_DOWN = new ApiError('unavailable', 'The service is shutting down.');

const PUBLIC_PATHS = ['/healthz', '/readyz', '/openapi.json'] as const;

/** An address in brackets, or one of IPv4 with a port behind it. IPv6 without brackets cannot have a port. */
const DECORATED = /^\[([^\]]+)\](?::\d+)?$|^([\d.]+):\d+$/;

/**
 * Sets the address of the client. Koa takes the entry of `X-Forwarded-For` that the outermost trusted proxy wrote, as it stands: with the
 * port that some proxies add, it is in no range of a key, and another one for each connection. A proxy that does not report the
 * address of its client stands for it.
 */
const readClientAddress: Middleware<RequestState> = (ctx, next) => {
  const { ips, socket } = ctx.request;
  ctx.request.ip = ips.map(addressOf).find((address) => address !== undefined) ?? socket.remoteAddress ?? '';
  return next();
};

function addressOf(entry: string): string | undefined {
  const [, bracketed, ipv4] = DECORATED.exec(entry) ?? [];
  const address = bracketed ?? ipv4 ?? entry;
  return isIP(address) === 0 ? undefined : address;
}

/**
 * Rejects a request without a path, and one that has `Host` more than once, or over HTTP/1.1 not at all.
 * https://www.rfc-editor.org/rfc/rfc9112#section-3.2
 * @throws ApiError 400
 */
const validateTarget: Middleware<RequestState> = async (ctx, next) => {
  if (!hasPath(ctx)) throw new ApiError('invalid_request', 'The request target has no path.');
  const { rawHeaders, httpVersion } = ctx.req;
  const hosts = rawHeaders.filter(
    (name, index) => index % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host',
  );
  if (hosts.length > 1 || (hosts.length === 0 && httpVersion !== '1.0'))
    throw new ApiError('invalid_request', 'Host: expected once');
  await next();
};

/** Returns true if the request target has a path. `ctx.path` throws for a malformed target, and is null for `http://`. */
function hasPath(ctx: Pick<Context, 'path'>): boolean {
  try {
    return typeof ctx.path === 'string';
  } catch {
    return false;
  }
}
