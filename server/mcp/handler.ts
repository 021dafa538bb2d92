import type { IncomingHttpHeaders } from 'node:http';
import { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Middleware, ParameterizedContext } from 'koa';
import type { Logger } from 'pino';
import { z } from 'zod';
import { ApiError } from '../../entities/api-error.ts';
import { requireScopes } from '../../procedures/core/permissions.ts';
import type { Services } from '../../procedures/core/services.ts';
import { serviceRouter } from '../../procedures/index.ts';
import { MCP } from '../../procedures/document/introduction.ts';
import type { Context } from '../../procedures/core/context.ts';
import { ERRORS, toApiError } from '../../procedures/core/errors.ts';
import type { Authentication } from '../auth/authenticate.ts';
import type { Credentials } from '../auth/credentials.ts';
import type { RateLimits } from '../auth/rate-limit.ts';
import { requestControl } from '../auth/request-control.ts';
import { requestOrigin } from '../auth/same-origin.ts';
import type { PageOrigins } from '../auth/same-origin.ts';
import { noteError, methodNotAllowed, noSuchPath } from '../http/error-handler.ts';
import { readJsonBody } from '../http/body/json-body.ts';
import { rejectRestHeaders } from '../rest/request-headers.ts';
import { identify } from '../http/load-shedding.ts';
import type { RequestState } from '../http/request-state.ts';
import { ToolSelector } from './selection.ts';
import type { Selection } from './selection.ts';
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
    await identify(ctx, principal);
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

/** Maximum length of a message. Clients choose the names of fields in its path. */
const MAX_MESSAGE_LENGTH = 200;

/** The issues of Zod as JSON, behind a text or alone: the message of the library for malformed parameters. */
const ISSUES_PATTERN = /\[\s*\{[^]*\}\s*\]$/;

const Issues = z
  .tuple([z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() })])
  .rest(z.unknown());

/** Server of the library, whose errors for malformed parameters are one sentence in place of a list of issues. */
export class SentenceServer extends Server {
  protected override _wrapHandler(...[method, handler]: Parameters<Server['_wrapHandler']>) {
    const wrapped = super._wrapHandler(method, handler);
    return async (...call: Parameters<typeof handler>) => {
      try {
        return await wrapped(...call);
      } catch (error) {
        const sentence = error instanceof Error ? sentenceOf(error.message) : undefined;
        if (sentence === undefined) throw error;
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${method}: ${sentence}`);
      }
    };
  }
}

/** Returns the first issue in the message of an error, as `<field>: <what is expected>`; undefined without issues. */
function sentenceOf(message: string): string | undefined {
  const json = ISSUES_PATTERN.exec(message)?.[0];
  if (json === undefined) return undefined;
  const { success, data } = Issues.safeParse(parse(json));
  if (!success) return undefined;
  const [{ path, message: issue }] = data;
  return `${path.join('.')}: ${issue.replace(/^Invalid input: /, '')}`.slice(0, MAX_MESSAGE_LENGTH);
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** A request to receive notifications. */
interface Subscription {
  id: string | number;
}

/** Returns true for a request of `subscriptions/listen`. */
const isSubscription = (
  message: Readonly<Record<string, unknown>>,
): message is Readonly<Record<string, unknown>> & Subscription =>
  message['method'] === 'subscriptions/listen' && ['string', 'number'].includes(typeof message['id']);

/** Error for a subscription. The library would report a limit, or an unknown method to clients of 2025. */
const noSubscriptions = ({ id }: Subscription) => ({
  jsonrpc: '2.0',
  id,
  error: {
    code: ProtocolErrorCode.InvalidParams,
    message: `subscriptions/listen: ${MCP.noSubscriptions}`,
  },
});

const PROTOCOL_VERSIONS = ['2026-07-28', '2025-11-25', '2025-06-18'];

const SERVER_INFO = { name: 'compliance-api', title: MCP.title, version: '1.0.0' };

/** One request. */
interface McpSession {
  /** The message as the client sent it. */
  message: Readonly<Record<string, unknown>>;
  selection: Selection;
  context: Context;
  /** Receives the error of a call, before it becomes a result. An error that it throws becomes a JSON-RPC error. */
  onCallError: (error: ApiError) => void;
}

/** Creates the server of one request. It keeps no state between requests. */
export function createMcpServer({ message, selection, context, onCallError }: McpSession): Server {
  const server = new SentenceServer(SERVER_INFO, {
    capabilities: { tools: {} },
    instructions: MCP.instructions,
    supportedProtocolVersions: PROTOCOL_VERSIONS,
  });
  server.setRequestHandler('tools/list', () => ({ tools: [...selection.listed] }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = selection.tools.get(params.name);
    if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown tool. See tools/list.');
    const { input, ignored } = tool.readArguments(argumentsOf(message));
    try {
      const value = await tool.call(context, async () => input);
      return withIgnored(
        server.projectCallToolResult(toResult(value), selection.hasOutputSchemas ? tool.outputSchema() : undefined),
        ignored,
      );
    } catch (error) {
      const apiError = toApiError(error);
      onCallError(apiError);
      return withIgnored(toErrorResult(apiError), ignored);
    }
  });
  return server;
}

/** Arguments of a call as the client sent them. The library copies them without `__proto__`, which is an unknown argument. */
const argumentsOf = ({ params }: McpSession['message']): object => Object(Reflect.get(Object(params), 'arguments'));

/** Tells a model, and the client around it, which of the arguments had no effect. */
const withIgnored = (result: CallToolResult, ignored: readonly string[]): CallToolResult =>
  ignored.length === 0
    ? result
    : {
        ...result,
        content: [...result.content, { type: 'text', text: `Ignored, because unknown: ${ignored.join(', ')}` }],
        _meta: { ...result._meta, ignoredArguments: [...ignored] },
      };

/** A value as JSON text, and as structured content for clients that read it. */
const toResult = (value: unknown): CallToolResult =>
  value === undefined
    ? { content: [{ type: 'text', text: 'Done.' }] }
    : { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };

const toErrorResult = ({ message, code, reason }: ApiError): CallToolResult => ({
  isError: true,
  content: [{ type: 'text', text: JSON.stringify({ error: message, code, status: ERRORS[reason].status }) }],
});

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
