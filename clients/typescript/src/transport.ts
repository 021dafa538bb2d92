import createFetchClient from 'openapi-fetch';
import type { Client } from 'openapi-fetch';
import type { paths } from './api.ts';
import { NetworkError, errorOf } from './errors.ts';
import type { CallOptions } from './types.ts';

const TIMEOUT_MS = 60_000;
/** Maximum time of a call, on top of its deadline, for the waits that the server asks for with 429. */
const LIMITED_MS = 300_000;
/** Maximum time of one attempt, so that a server that stalls does not use up the deadline. */
const ATTEMPT_TIMEOUT_MS = 20_000;
/** Rate of a slow connection. It extends the deadline of a file. */
const MIN_UPLOAD_BYTES_PER_MS = 100;
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 5000;

/** Options of a client. */
export interface ClientOptions {
  /** Address of the server, for example `https://compliance.example.com`. */
  baseUrl: string;
  /** API key (`svc_sk_live_…`). A key must not reach a browser: there, omit it and let a proxy add it. */
  apiKey?: string;
  /**
   * Deadline of each call in milliseconds, retries included; a file gets 10 s more for each MB. By default it is 60,000, without the
   * waits that the server asks for with 429, which may take up to 5 minutes more.
   */
  timeoutMs?: number;
  /** Replaces the global `fetch`, for example to use a proxy. The deadline aborts `init.signal`. */
  fetch?: (request: Request, init: { signal: AbortSignal }) => Promise<Response>;
}

/** `waitMs` is the time that the server may wait before it responds. */
type SendOptions = CallOptions & { waitMs?: number };
interface Content {
  query?: object;
  headers?: Record<string, string | undefined>;
  body?: string | Blob | Uint8Array<ArrayBuffer>;
}

/** Sends requests with retries. */
export class Transport {
  readonly rest: Client<paths, 'application/json'>;
  readonly #options: ClientOptions;
  readonly #headers: Record<string, string>;

  constructor(options: ClientOptions) {
    this.#options = { ...options, baseUrl: options.baseUrl.replace(/\/$/, '') };
    this.#headers = options.apiKey === undefined ? {} : { 'X-API-Key': options.apiKey };
    const fetch = (request: Request) => this.#send(request, {});
    // The server takes each parameter once, with values separated by commas.
    const querySerializer = { array: { style: 'form', explode: false } } as const;
    this.rest = createFetchClient({ baseUrl: options.baseUrl, headers: this.#headers, querySerializer, fetch });
  }

  /** Sends one request with its retries. @throws ApiError, NetworkError */
  async call(
    method: string,
    path: string,
    { query = {}, headers, body }: Content,
    options: SendOptions,
  ): Promise<Response> {
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
    const all = new Headers(this.#headers);
    for (const [name, value] of Object.entries(headers ?? {})) if (value !== undefined) all.set(name, value);
    if (typeof body === 'string' && !all.has('Content-Type')) all.set('Content-Type', 'application/json');
    const url = `${this.#options.baseUrl}${path}${given.length > 0 ? `?${search}` : ''}`;
    const request = new Request(url, { method, headers: all, body: body ?? null, signal: options.signal ?? null });
    const response = await this.#send(request, options);
    if (response.ok) return response;
    throw errorOf(response, await response.json().catch(() => undefined)); // a proxy may send HTML
  }

  /** Sends a request until it has a final response. All attempts of a write have the same `Idempotency-Key`. */
  async #send(request: Request, options: SendOptions): Promise<Response> {
    const { idempotencyKey, waitMs = 0, timeoutMs, signal = request.signal } = options;
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const body = isRead ? undefined : await request.arrayBuffer();
    const uploadMs = (body?.byteLength ?? 0) / MIN_UPLOAD_BYTES_PER_MS;
    let deadline = Date.now() + waitMs + (timeoutMs ?? (this.#options.timeoutMs ?? TIMEOUT_MS) + uploadMs);
    let limitedMs = (timeoutMs ?? this.#options.timeoutMs) === undefined ? LIMITED_MS : 0;
    const attemptMs = ATTEMPT_TIMEOUT_MS + waitMs + uploadMs;
    if (!isRead && !request.headers.has('Idempotency-Key'))
      request.headers.set('Idempotency-Key', idempotencyKey ?? crypto.randomUUID());
    for (let attempt = 0; ; attempt++) {
      const outcome = await this.#attempt(request, body, signal, Math.min(deadline - Date.now(), attemptMs));
      signal.throwIfAborted();
      if (outcome instanceof Response && !isTemporary(outcome)) return outcome;
      const backoffMs = Math.min(FIRST_DELAY_MS * 2 ** attempt, MAX_DELAY_MS) * (0.5 + Math.random() / 2);
      const delayMs = Math.max(backoffMs, outcome instanceof Response ? retryAfterMs(outcome) : 0);
      if (outcome instanceof Response && outcome.status === 429) {
        const extraMs = Math.min(delayMs, limitedMs);
        limitedMs -= extraMs;
        deadline += extraMs;
      }
      if (Date.now() + delayMs < deadline) await sleep(delayMs, signal);
      else if (outcome instanceof Response) return outcome;
      else throw new NetworkError(`${request.method} ${request.url}: no response`, { cause: outcome });
    }
  }

  /**
   * Sends a request once. A controller of its own aborts it: Node.js may collect a signal of `AbortSignal.any`, or one
   * that belongs to a copied `Request`, and the request would then never end.
   * @returns the response with its whole body, or the network error
   */
  async #attempt(
    request: Request,
    body: ArrayBuffer | undefined,
    signal: AbortSignal,
    timeoutMs: number,
  ): Promise<unknown> {
    const { fetch = globalThis.fetch } = this.#options;
    const controller = new AbortController();
    const cancel = () => controller.abort(signal.reason);
    const expire = () => controller.abort(new DOMException('The deadline has passed', 'TimeoutError'));
    const timer = setTimeout(expire, Math.max(timeoutMs, 1));
    signal.addEventListener('abort', cancel);
    if (signal.aborted) cancel();
    let isStreamed = false;
    try {
      const init: RequestInit = body === undefined ? {} : { body };
      const response = await fetch(new Request(request, init), { signal: controller.signal });
      const { ok, status, statusText, headers } = response;
      // Files are streamed to the caller. Other bodies are read here, because the connection may break meanwhile.
      isStreamed = ok && /^(?:text\/csv|application\/x-ndjson)/.test(headers.get('Content-Type') ?? '');
      if (isStreamed) return response;
      const content = await response.arrayBuffer();
      return new Response(content.byteLength > 0 ? content : null, { status, statusText, headers });
    } catch (error) {
      return error;
    } finally {
      clearTimeout(timer);
      if (!isStreamed) signal.removeEventListener('abort', cancel);
    }
  }
}

const isTemporary = ({ status, headers }: Response) =>
  [429, 502, 503, 504].includes(status) || (status === 409 && headers.get('X-Error-Code') === 'idempotency_conflict');

/** Reads `Retry-After`: seconds, or an HTTP date. */
function retryAfterMs({ headers }: Response): number {
  const text = headers.get('Retry-After') ?? '';
  return (/^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()) || 0;
}

/** Waits. @throws the reason of the signal when it aborts */
export function sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(end, delayMs);
    signal?.addEventListener('abort', end);
    if (signal?.aborted === true) end();
    function end() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      if (signal?.aborted === true) reject(signal.reason);
      else resolve();
    }
  });
}
