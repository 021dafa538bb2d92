import cluster from 'node:cluster';
import { randomUUID } from 'node:crypto';
import type { RequestListener, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { ConfigError, serverUrl } from '../config/settings.ts';
import type { Settings } from '../config/settings.ts';
import { STATUS_CODES, createServer } from './node-http.ts';
import { ConnectionTracker } from './connections.ts';
import type { ConnectionLimits } from './connections.ts';

/** Who may stand before the door: beyond that the kernel lets nobody know, and clients try again after seconds only. */
const BACKLOG = 4096;
/** Milliseconds in which requests that are on their way still arrive, and are told that the connection closes. */
const SHUTDOWN_DELAY_MS = 1000;
/** Milliseconds between two looks whether anybody else has come, so many of which in a row must find nobody; and how long at most. */
const CHECK_INTERVAL_MS = 20;
const QUIET_CHECKS = 3;
const MAX_QUIET_WAIT_MS = 1000;
/** Milliseconds that requests in flight then get to end, before their connections are cut. */
const GRACE = 6000;
const SERVER_OPTIONS = {
  maxHeaderSize: 8192,
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 2000,
  // Longer than proxies keep a connection that they do not use: it is for them to close it, who know what they send next.
  keepAliveTimeout: 75_000,
  requireHostHeader: false,
};

/**
 * Each worker has a socket of its own, among which Linux deals connections out. Elsewhere the supervisor does, and one that was on its
 * way to a worker which is killed hangs.
 */
const reusePort = cluster.isWorker && process.platform === 'linux';
/** Room for ten thousand that are idle and five thousand that are slow. The latter are cut when they take nothing for so long, or twice. */
const CONNECTION_LIMITS: ConnectionLimits = { maxConnections: 16_000, stallTimeout: 30_000 };

/** What was wrong with bytes that are no HTTP request, by the parser's error code. */
const PARSER_ERRORS: Record<string, { status: number; code: string; error: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, code: 'invalid_request', error: 'The headers are larger than 8 KiB.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'invalid_request', error: 'The request did not arrive in time.' },
};
const MALFORMED_REQUEST = { status: 400, code: 'invalid_request', error: 'This is not an HTTP request.' };

/** Tells the client what was wrong with its bytes, and closes. */
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

/** An HTTP server that bounds what a client may send, and stops without breaking a request. */
export class HttpServer {
  readonly #server: Server;
  readonly #connections: ConnectionTracker;
  /** Requests that are answered when the door is shut. */
  #heldRequests: (() => void)[] | undefined;
  #stopping = false;

  constructor(
    handleRequest: (...request: Parameters<RequestListener>) => unknown,
    limits: Partial<ConnectionLimits> = {},
  ) {
    const connectionLimits = { ...CONNECTION_LIMITS, ...limits };
    this.#connections = new ConnectionTracker(connectionLimits);
    const listener: RequestListener = (request, response) => {
      this.#connections.enqueue(request.socket, response, () => {
        // Node does not parse what follows a request with `Upgrade`: the client must send it again on another connection.
        if (this.#stopping || request.headers.upgrade !== undefined) response.setHeader('Connection', 'close');
        if (this.#heldRequests === undefined) handleRequest(request, response);
        else this.#heldRequests.push(() => void handleRequest(request, response));
      });
    };
    this.#server = createServer(SERVER_OPTIONS, listener);
    this.#server.on('connection', (socket) => this.#connections.add(socket));
    // Node looks whether the kernel took anything. Between two requests the same event comes after `keepAliveTimeout`.
    this.#server.setTimeout(connectionLimits.stallTimeout, (socket) => this.#connections.handleTimeout(socket));
    // An expectation that is not understood is no reason to refuse before the checks that are promised.
    this.#server.on('checkExpectation', listener);
    // Who expects 100 is told to continue when the body is wanted, which it is not before authentication.
    this.#server.on('checkContinue', listener);
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
      else this.#endAfterResponses(socket, error.code);
    });
    // Without a listener Node closes the connection before the responses to earlier requests on it are sent.
    this.#server.on('connect', (_, socket) => {
      socket.on('error', () => socket.destroy());
      this.#endAfterResponses(socket);
    });
  }

  /** What came whole before is carried out and answered first: else its client would take this for the answer to it. */
  #endAfterResponses(socket: Duplex, parserCode?: string): void {
    const last = this.#connections.pendingResponses(socket).findLast(({ req }) => req.complete);
    if (last === undefined) respondToParserError(socket, parserCode);
    else last.once('close', () => respondToParserError(socket, parserCode));
  }

  /** Whether it takes requests only to the end. */
  get isStopping(): boolean {
    return this.#stopping;
  }

  /** @returns where it listens, with the port that the system chose when 0 was asked for. */
  async listen({ host, port }: Pick<Settings, 'host' | 'port'>): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once('error', reject).listen({ host, port, backlog: BACKLOG, reusePort }, resolve);
    await promise.catch((cause: Error) => {
      throw new ConfigError(`HOST, PORT: ${cause.message}`, { cause });
    });
    const address = this.#server.address();
    return serverUrl({ host, port: typeof address === 'object' && address !== null ? address.port : port });
  }

  /** Answers what is in flight or on its way, and closes. Takes LINGER, LAST_COMERS and GRACE at most. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await wait(SHUTDOWN_DELAY_MS);
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    // Who is answered may come back at once, and whoever stands in the kernel's queue when the door is shut is turned away
    // without a word. So nobody is answered until nobody comes any more.
    const heldRequests: (() => void)[] = (this.#heldRequests = []);
    await this.#waitUntilQuiet();
    this.#server.close(() => resolve());
    this.#heldRequests = undefined;
    for (const startRequest of heldRequests) startRequest();
    const idleTimer = setInterval(() => this.#server.closeIdleConnections(), 50);
    const graceTimer = new AbortController();
    await Promise.race([closed, wait(GRACE, undefined, { signal: graceTimer.signal })]).finally(() =>
      clearInterval(idleTimer),
    );
    graceTimer.abort();
    this.#server.closeAllConnections();
  }

  /** Until nobody has come for a moment. Each look lets the event loop take in all who stand before the door. */
  async #waitUntilQuiet(): Promise<void> {
    const deadline = performance.now() + MAX_QUIET_WAIT_MS;
    for (let quietChecks = 0; quietChecks < QUIET_CHECKS && performance.now() < deadline;) {
      const { acceptedCount } = this.#connections;
      await wait(CHECK_INTERVAL_MS);
      quietChecks = this.#connections.acceptedCount === acceptedCount ? quietChecks + 1 : 0;
    }
  }
}
