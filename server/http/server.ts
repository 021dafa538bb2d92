import cluster from 'node:cluster';
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, RequestListener, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { ConfigError, serverUrl } from '../config/settings.ts';
import type { Settings } from '../config/settings.ts';
import { STATUS_CODES, createServer } from './node-http.ts';
import { ConnectionTracker } from './connections.ts';
import type { ConnectionLimits } from './connections.ts';
import { isUploading } from './body/slow-uploads.ts';

/** Listen backlog. Beyond it the kernel drops connections silently, and clients retry only after seconds. */
const BACKLOG = 4096;
/** Milliseconds after the start of a shutdown in which requests still arrive. Their responses close the connection. */
const SHUTDOWN_DELAY_MS = 1000;
/** Milliseconds between two checks for new connections during a shutdown. */
const CHECK_INTERVAL_MS = 20;
/** Consecutive checks without a new connection before the server closes its socket. Clients on a busy machine reconnect late. */
const QUIET_CHECKS = 8;
/** Maximum number of milliseconds for these checks. */
const MAX_QUIET_WAIT_MS = 1000;
/** Milliseconds for requests in flight to finish before their connections are closed. */
const GRACE = 6000;
const SERVER_OPTIONS = {
  maxHeaderSize: 8192,
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 2000,
  // Longer than the idle timeout of common proxies. The proxy must close first: it knows whether it is about to send a request.
  keepAliveTimeout: 75_000,
  requireHostHeader: false,
};

/**
 * On Linux each worker listens on a separate socket, and the kernel distributes connections (SO_REUSEPORT, socket(7)). On
 * other systems the supervisor distributes them. There, a connection in transit to a killed worker hangs.
 */
const reusePort = cluster.isWorker && process.platform === 'linux';
/** Allows for 10,000 idle and 5,000 slow connections. A stalled connection is closed after one to two timeouts. */
const CONNECTION_LIMITS: ConnectionLimits = { maxConnections: 16_000, stallTimeout: 30_000 };

/** Error responses for input that is not a valid HTTP request, by the error code of Node's parser. */
const PARSER_ERRORS: Record<string, { status: number; code: string; error: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, code: 'invalid_request', error: 'The headers are larger than 8 KiB.' },
  HPE_INVALID_TRANSFER_ENCODING: { status: 501, code: 'invalid_request', error: 'Transfer-Encoding: expected chunked' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'invalid_request', error: 'The request did not arrive in time.' },
};
const MALFORMED_REQUEST = { status: 400, code: 'invalid_request', error: 'This is not an HTTP request.' };

/**
 * Returns true for a body in a coding that nobody undoes. Node's parser accepts `gzip, chunked`, and would hand on the compressed bytes.
 * https://www.rfc-editor.org/rfc/rfc9112#section-6.1
 */
const hasUnknownCoding = ({ 'transfer-encoding': codings }: IncomingHttpHeaders): boolean =>
  codings !== undefined && codings.toLowerCase() !== 'chunked';

/** Error of Node's parser. Its code for an unknown coding is also that of a body with two lengths, which is malformed. */
interface ParserError extends Error {
  code?: string;
  reason?: string;
}

const parserCodeOf = ({ code, reason }: ParserError) =>
  code === 'HPE_INVALID_TRANSFER_ENCODING' && reason?.includes('Content-Length') === true ? undefined : code;

/** Sends the error response for a parser error and closes the connection. */
function respondToParserError(socket: Duplex, parserCode = ''): void {
  if (!socket.writable) return;
  const { status, code, error } = PARSER_ERRORS[parserCode] ?? MALFORMED_REQUEST;
  const body = JSON.stringify({ error });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Error-Code: ${code}`,
    `X-Request-Id: ${randomUUID()}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** An HTTP server with limits on headers, timeouts and connections, and with a graceful shutdown. */
export class HttpServer {
  readonly #server: Server;
  readonly #connections: ConnectionTracker;
  /** Requests held back during a shutdown until the server has closed its socket; undefined otherwise. */
  #heldRequests: (() => void)[] | undefined;
  #stopping = false;

  constructor(
    handleRequest: (...request: Parameters<RequestListener>) => unknown,
    limits: Partial<ConnectionLimits> = {},
  ) {
    const connectionLimits = { ...CONNECTION_LIMITS, ...limits };
    this.#connections = new ConnectionTracker(connectionLimits);
    const listener: RequestListener = (request, response) => {
      if (hasUnknownCoding(request.headers)) {
        this.#endAfterResponses(request.socket, 'HPE_INVALID_TRANSFER_ENCODING');
        request.resume();
        return;
      }
      this.#connections.enqueue(request.socket, response, () => {
        // Node does not parse further requests after one with `Upgrade`. The client must send them on a new connection.
        if (this.#stopping || request.headers.upgrade !== undefined) response.setHeader('Connection', 'close');
        if (this.#heldRequests === undefined) handleRequest(request, response);
        else this.#heldRequests.push(() => void handleRequest(request, response));
      });
    };
    this.#server = createServer(SERVER_OPTIONS, listener);
    this.#server.on('connection', (socket) => this.#connections.add(socket));
    // Node emits this event if the kernel accepted no data, and between two requests after `keepAliveTimeout`.
    this.#server.setTimeout(connectionLimits.stallTimeout, (socket) => this.#connections.handleTimeout(socket));
    // Ignores an unknown expectation, so that authentication and the other checks keep their documented order.
    this.#server.on('checkExpectation', listener);
    // Defers `100 Continue` until the body is read, which happens after authentication.
    this.#server.on('checkContinue', listener);
    this.#server.on('clientError', (error: ParserError, socket) => {
      if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isUploading(socket)) return;
      if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
      else this.#endAfterResponses(socket, parserCodeOf(error));
    });
    // Without a listener Node closes the connection before the responses to earlier requests on it are sent.
    this.#server.on('connect', (_, socket) => {
      socket.on('error', () => socket.destroy());
      this.#endAfterResponses(socket);
    });
  }

  /**
   * Responds to a parser error after the responses to all earlier complete requests. Otherwise the client would take the
   * error for the response to one of them.
   */
  #endAfterResponses(socket: Duplex, parserCode?: string): void {
    const last = this.#connections.pendingResponses(socket).findLast(({ req }) => req.complete);
    if (last === undefined) respondToParserError(socket, parserCode);
    else last.once('close', () => respondToParserError(socket, parserCode));
  }

  /** True after `stop` was called. */
  get isStopping(): boolean {
    return this.#stopping;
  }

  /** @returns the URL of the server, with the actual port if `port` is 0 */
  async listen({ host, port }: Pick<Settings, 'host' | 'port'>): Promise<string> {
    const listenAt = async (address: string) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      this.#server.once('error', reject).listen({ host: address, port, backlog: BACKLOG, reusePort }, resolve);
      await promise;
    };
    await listenAt(host)
      .catch((error: NodeJS.ErrnoException) => {
        // A kernel without IPv6, which the image must not need.
        if (host === '::' && error.code === 'EAFNOSUPPORT') return listenAt('0.0.0.0');
        throw error;
      })
      .catch((cause: Error) => {
        throw new ConfigError(`HOST, PORT: ${cause.message}`, { cause });
      });
    const address = this.#server.address();
    return serverUrl({ host, port: typeof address === 'object' && address !== null ? address.port : port });
  }

  /**
   * Completes the requests in flight, then closes. Takes at most `delayMs`, MAX_QUIET_WAIT_MS and GRACE together.
   * @param delayMs milliseconds in which requests still arrive; 0 if no client sends another
   */
  async stop(delayMs = SHUTDOWN_DELAY_MS): Promise<void> {
    this.#stopping = true;
    await wait(delayMs);
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    // A client may reconnect as soon as it has its response. The kernel resets connections that wait in the backlog when the
    // socket closes. Responses are therefore held back until no new connection arrives.
    const heldRequests: (() => void)[] = (this.#heldRequests = []);
    if (delayMs > 0) await this.#waitUntilQuiet();
    this.#server.close(() => resolve());
    this.#heldRequests = undefined;
    for (const startRequest of heldRequests) startRequest();
    const idleTimer = setInterval(() => this.#server.closeIdleConnections(), 50);
    const graceTimer = new AbortController();
    await Promise.race([closed, wait(GRACE, undefined, { signal: graceTimer.signal })]).finally(() =>
      clearInterval(idleTimer),
    );
    graceTimer.abort();
    this.#connections.resetUnfinished();
    this.#server.closeAllConnections();
  }

  /** Waits until no connection arrives for several checks. Between checks the event loop accepts the whole backlog. */
  async #waitUntilQuiet(): Promise<void> {
    const deadline = performance.now() + MAX_QUIET_WAIT_MS;
    for (let quietChecks = 0; quietChecks < QUIET_CHECKS && performance.now() < deadline;) {
      const { acceptedCount } = this.#connections;
      await wait(CHECK_INTERVAL_MS);
      quietChecks = this.#connections.acceptedCount === acceptedCount ? quietChecks + 1 : 0;
    }
  }
}
