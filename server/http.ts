import cluster from 'node:cluster';
import { STATUS_CODES, createServer } from 'node:http';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { BadSetting, urlOf } from './config.ts';
import type { Settings } from './config.ts';

/** Milliseconds in which requests that are on their way still arrive, and are told that the connection closes. */
const LINGER = 500;
/** Milliseconds that requests in flight then get to end, before their connections are cut. */
const GRACE = 7500;
const LIMITS = {
  maxHeaderSize: 8192,
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 2000,
  requireHostHeader: false,
};

/**
 * Each worker has a socket of its own, among which Linux deals connections out. Elsewhere the supervisor does, and one that was on its
 * way to a worker which is killed hangs.
 */
const reusePort = cluster.isWorker && process.platform === 'linux';

/** What was wrong with bytes that are no HTTP request, by the parser's error code. */
const UNREADABLE: Record<string, { status: number; code: string; error: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, code: 'invalid_request', error: 'The headers are larger than 8 KiB.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'invalid_request', error: 'The request did not arrive in time.' },
};
const MALFORMED = { status: 400, code: 'invalid_request', error: 'This is not an HTTP request.' };

/** Tells the client what was wrong with its bytes, and closes. */
function endUnreadable(socket: Duplex, { code: parserCode }: NodeJS.ErrnoException): void {
  if (!socket.writable) return;
  const { status, code, error } = UNREADABLE[parserCode ?? ''] ?? MALFORMED;
  const body = JSON.stringify({ error });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Error-Code: ${code}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** An HTTP server that bounds what a client may send, and stops without breaking a request. */
export class HttpServer {
  readonly #server: Server;
  /** Answers of a connection that are under way: a client may send on before it has been answered. */
  readonly #underWay = new WeakMap<Duplex, ServerResponse[]>();
  #stopping = false;

  constructor(answer: (...request: Parameters<RequestListener>) => unknown) {
    const listener: RequestListener = (request, response) => {
      if (this.#stopping) response.setHeader('Connection', 'close');
      this.#underWay.set(request.socket, [...this.#answersOn(request.socket), response]);
      answer(request, response);
    };
    this.#server = createServer(LIMITS, listener);
    // An expectation that is not understood is no reason to refuse before the checks that are promised.
    this.#server.on('checkExpectation', listener);
    // Who expects 100 is told to continue when the body is wanted, which it is not before authentication.
    this.#server.on('checkContinue', listener);
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      if (!socket.writable || error.code === 'ECONNRESET') {
        socket.destroy();
        return;
      }
      // What came whole before is carried out and answered first: else its client would take this for the answer to it.
      const last = this.#answersOn(socket).findLast(({ req }) => req.complete);
      if (last === undefined) endUnreadable(socket, error);
      else last.once('close', () => endUnreadable(socket, error));
    });
  }

  #answersOn(socket: Duplex): ServerResponse[] {
    return this.#underWay.get(socket)?.filter(({ writableFinished }) => !writableFinished) ?? [];
  }

  /** @returns where it listens, with the port that the system chose when 0 was asked for. */
  async listen({ host, port }: Pick<Settings, 'host' | 'port'>): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once('error', reject).listen({ host, port, reusePort }, resolve);
    await promise.catch((cause: Error) => {
      throw new BadSetting(`HOST, PORT: ${cause.message}`, { cause });
    });
    const address = this.#server.address();
    return urlOf({ host, port: typeof address === 'object' && address !== null ? address.port : port });
  }

  /** Answers what is in flight or on its way, and closes. Takes LINGER and GRACE at most. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await wait(LINGER);
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    const idle = setInterval(() => this.#server.closeIdleConnections(), 50);
    const cut = new AbortController();
    await Promise.race([closed, wait(GRACE, undefined, { signal: cut.signal })]).finally(() => clearInterval(idle));
    cut.abort();
    this.#server.closeAllConnections();
  }
}
