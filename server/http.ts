import cluster from 'node:cluster';
import { randomUUID } from 'node:crypto';
import type { RequestListener, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { BadSetting, urlOf } from './config.ts';
import type { Settings } from './config.ts';
import { STATUS_CODES, createServer } from './node-http.ts';
import { OpenConnections } from './open-connections.ts';
import type { Bounds } from './open-connections.ts';

/** Who may stand before the door: beyond that the kernel lets nobody know, and clients try again after seconds only. */
const BACKLOG = 4096;
/** Milliseconds in which requests that are on their way still arrive, and are told that the connection closes. */
const LINGER = 1000;
/** Milliseconds between two looks whether anybody else has come, so many of which in a row must find nobody; and how long at most. */
const LOOK = 20;
const CALM_LOOKS = 3;
const LAST_COMERS = 1000;
/** Milliseconds that requests in flight then get to end, before their connections are cut. */
const GRACE = 6000;
const LIMITS = {
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
const BOUNDS: Bounds = { connections: 16_000, patience: 30_000 };

/** What was wrong with bytes that are no HTTP request, by the parser's error code. */
const UNREADABLE: Record<string, { status: number; code: string; error: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, code: 'invalid_request', error: 'The headers are larger than 8 KiB.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'invalid_request', error: 'The request did not arrive in time.' },
};
const MALFORMED = { status: 400, code: 'invalid_request', error: 'This is not an HTTP request.' };

/** Tells the client what was wrong with its bytes, and closes. */
function endUnreadable(socket: Duplex, parserCode = ''): void {
  if (!socket.writable) return;
  const { status, code, error } = UNREADABLE[parserCode] ?? MALFORMED;
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
  readonly #connections: OpenConnections;
  /** Requests that are answered when the door is shut. */
  #held: (() => void)[] | undefined;
  #stopping = false;

  constructor(answer: (...request: Parameters<RequestListener>) => unknown, bounds: Partial<Bounds> = {}) {
    const all = { ...BOUNDS, ...bounds };
    this.#connections = new OpenConnections(all);
    const listener: RequestListener = (request, response) => {
      this.#connections.asked(request.socket, response, () => {
        // Node does not parse what follows a request with `Upgrade`: the client must send it again on another connection.
        if (this.#stopping || request.headers.upgrade !== undefined) response.setHeader('Connection', 'close');
        if (this.#held === undefined) answer(request, response);
        else this.#held.push(() => void answer(request, response));
      });
    };
    this.#server = createServer(LIMITS, listener);
    this.#server.on('connection', (socket) => this.#connections.opened(socket));
    // Node looks whether the kernel took anything. Between two requests the same event comes after `keepAliveTimeout`.
    this.#server.setTimeout(all.patience, (socket) => this.#connections.timedOut(socket));
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
    const last = this.#connections.answersOn(socket).findLast(({ req }) => req.complete);
    if (last === undefined) endUnreadable(socket, parserCode);
    else last.once('close', () => endUnreadable(socket, parserCode));
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
      throw new BadSetting(`HOST, PORT: ${cause.message}`, { cause });
    });
    const address = this.#server.address();
    return urlOf({ host, port: typeof address === 'object' && address !== null ? address.port : port });
  }

  /** Answers what is in flight or on its way, and closes. Takes LINGER, LAST_COMERS and GRACE at most. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await wait(LINGER);
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    // Who is answered may come back at once, and whoever stands in the kernel's queue when the door is shut is turned away
    // without a word. So nobody is answered until nobody comes any more.
    const held: (() => void)[] = (this.#held = []);
    await this.#calm();
    this.#server.close(() => resolve());
    this.#held = undefined;
    for (const answer of held) answer();
    const idle = setInterval(() => this.#server.closeIdleConnections(), 50);
    const cut = new AbortController();
    await Promise.race([closed, wait(GRACE, undefined, { signal: cut.signal })]).finally(() => clearInterval(idle));
    cut.abort();
    this.#server.closeAllConnections();
  }

  /** Until nobody has come for a moment. Each look lets the event loop take in all who stand before the door. */
  async #calm(): Promise<void> {
    const until = performance.now() + LAST_COMERS;
    for (let calm = 0; calm < CALM_LOOKS && performance.now() < until;) {
      const { came } = this.#connections;
      await wait(LOOK);
      calm = this.#connections.came === came ? calm + 1 : 0;
    }
  }
}
