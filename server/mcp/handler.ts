import type { IncomingHttpHeaders } from 'node:http';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Middleware, ParameterizedContext } from 'koa';
import type { Logger } from 'pino';
import { ApiError } from '../../entities/api-error.ts';
import { requireScopes } from '../../procedures/core/permissions.ts';
import type { Services } from '../../procedures/core/services.ts';
import { serviceRouter } from '../../procedures/index.ts';
import type { Authentication } from '../auth/authenticate.ts';
import type { Credentials } from '../auth/credentials.ts';
import type { RateLimits } from '../auth/rate-limit.ts';
import { requestControl } from '../auth/request-control.ts';
import { requestOrigin } from '../auth/same-origin.ts';
import type { PageOrigins } from '../auth/same-origin.ts';
import { noteError, methodNotAllowed, noSuchPath } from '../http/error-handler.ts';
import { readJsonBody } from '../http/body/json-body.ts';
import { rejectRestHeaders } from '../rest/rest-only-headers.ts';
import type { RequestState } from '../http/request-state.ts';
import { isSubscription, noSubscriptions } from './protocol-errors.ts';
import { createMcpServer } from './server.ts';
import type { McpSession } from './server.ts';
import { ToolSelector } from './selection.ts';
import { compileTools } from './tools.ts';

/** As large as a batch of the REST API. */
const MAX_BODY_BYTES = 2 * 1024 * 1024;

export interface McpOptions {
  authenticate: Authentication['apiKey'];
  limits: RateLimits | undefined;
  origins: PageOrigins;
  services: Services;
  log: Logger;
}

/** Serves the business procedures as MCP tools over streamable HTTP, without sessions. Contract, section 15. */
export function mcpHandler({ authenticate, limits, origins, services, log }: McpOptions): Middleware<RequestState> {
  const selector = new ToolSelector(compileTools(serviceRouter));
  return async (ctx) => {
    const { requestId } = ctx.state;
    const credentials: Credentials = {
      headers: ctx.req.headers,
      address: ctx.ip,
      requestId,
      onKey: (key) => (ctx.state.key = key),
    };
    const { context, headers: warnings } = await authenticate(credentials);
    const { principal } = context.session;
    if (principal === null) throw new Error('mcp: expected the principal of a key');
    ctx.state.principal = principal;
    ctx.set(warnings);
    const rateLimitError = await limits?.consume(ctx.res, context);
    requirePost(ctx);
    if (rateLimitError !== undefined) throw rateLimitError;
    origins.rejectForeignOrigin({ headers: ctx.req.headers, requestOrigin: requestOrigin(ctx) });
    requireScopes(principal, [], ctx.ip);
    requireHost(ctx.req.headers);
    rejectRestHeaders(ctx.req.headers);
    const message = await readJsonBody(ctx, MAX_BODY_BYTES);
    const selection = selector.select(ctx.query, principal);
    let httpError: ApiError | undefined;
    await respond(ctx, log, {
      message,
      selection,
      context: { ...context, services, ...requestControl(ctx, context, () => authenticate(credentials), limits) },
      onCallError: (error) => {
        noteError(log, ctx.state, error);
        if (HTTP_REASONS.has(error.reason)) httpError = error;
      },
    });
    if (httpError !== undefined) throw httpError;
  };
}

/** Errors that a call can have too, and that are statuses of HTTP on every transport: clients handle them for all calls. */
const HTTP_REASONS = new Set<ApiError['reason']>([
  'unauthorized',
  'key_disabled',
  'key_expired',
  'misdirected',
  'rate_limited',
]);

/** @throws ApiError 404 for a path below `/mcp`, 405 for another method: there are no sessions to read or to end */
function requirePost(ctx: ParameterizedContext<RequestState>): void {
  if (!/^\/mcp\/?$/.test(ctx.path)) throw noSuchPath();
  if (ctx.method !== 'POST') throw methodNotAllowed(ctx, ['POST']);
}

/**
 * Rejects a `Host` that names no server. HTTP/1.0 may leave it out.
 * https://www.rfc-editor.org/rfc/rfc9112#section-3.2
 * @throws ApiError 400
 */
function requireHost({ host }: IncomingHttpHeaders): void {
  if (host === undefined || (/^[^/?#@\\\s]+$/.test(host) && URL.canParse(`http://${host}`))) return;
  throw new ApiError('invalid_request', 'Host: expected a host name or an address, with a port or without');
}

/** URL for the library, which does not read it. `Host` may not make it invalid. */
const LIBRARY_URL = 'http://localhost/mcp';

/** Runs the protocol for one message. Responses are short, so they are sent whole, also as server-sent events. */
async function respond(ctx: ParameterizedContext<RequestState>, log: Logger, session: McpSession): Promise<void> {
  const { message } = session;
  if (isSubscription(message)) {
    ctx.body = noSubscriptions(message);
    return;
  }
  const disconnected = new AbortController();
  ctx.res.once('close', () => disconnected.abort());
  const handler = createMcpHandler(() => createMcpServer(session), {
    maxSubscriptions: 0, // the list of tools does not change during a subscription
    keepAliveMs: 0,
    onerror: (err) => log.debug({ requestId: ctx.state.requestId, err }, 'mcp: request rejected'),
  });
  const request = new Request(LIBRARY_URL, {
    method: 'POST',
    headers: protocolHeaders(ctx.req.headers),
    signal: disconnected.signal,
  });
  const response = await handler.fetch(request, { parsedBody: message });
  const type = response.headers.get('Content-Type');
  ctx.body = Buffer.from(await response.arrayBuffer()); // sets a status and a content type, which the next lines replace
  ctx.status = response.status;
  if (type === null) ctx.remove('Content-Type');
  else ctx.set('Content-Type', type);
}

/** The headers that the protocol defines. Credentials stay outside of it. */
const protocolHeaders = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      /^(?:accept|content-type|mcp-.+)$/.test(name) && value !== undefined ? [[name, String(value)]] : [],
    ),
  );
