import { request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Agent, IncomingHttpHeaders } from 'node:http';

export interface HttpResponse {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

export interface RequestOptions {
  method: string;
  headers?: Record<string, string>;
  /** Strings and buffers are sent unchanged, other values as JSON. */
  body?: unknown;
  agent?: Agent;
  timeoutMs?: number;
  /** Target of the request line, for one that no URL has, such as `*`. By default path and query of the URL. */
  target?: string;
}

/** Token of the operator in tests. */
export const OPERATOR_TOKEN = 'operator-token-of-the-tests-0123456789';

/** No process listens on the port: the request was not sent. */
export const CONNECTION_REFUSED = 'ECONNREFUSED';

/** Longer than the maximum duration of a request, so that the log shows how long a slow request took. */
const TIMEOUT_MS = 20_000;

/** Returns true for a body that is sent unchanged. */
export const isRaw = (body: unknown): body is string | Buffer => typeof body === 'string' || body instanceof Buffer;

/**
 * Sends a request.
 * @throws Error with the error code and the kind of the connection, new or kept alive, if no complete response arrived
 */
export function sendRequest(
  url: string,
  { method, headers = {}, body, agent, target, timeoutMs = TIMEOUT_MS }: RequestOptions,
): Promise<HttpResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
  const fail = (cause: NodeJS.ErrnoException) => {
    const reason = cause.code ?? cause.message;
    reject(
      new Error(
        reason === CONNECTION_REFUSED ? reason : `${reason} on a ${sent.reusedSocket ? 'kept' : 'new'} connection`,
        { cause },
      ),
    );
  };
  const { hostname, port, origin } = new URL(url);
  const sent = request(
    {
      hostname,
      port,
      path: target ?? url.slice(origin.length), // unchanged: URL would normalize it
      method,
      ...(agent !== undefined && { agent }),
      headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
      signal: AbortSignal.timeout(timeoutMs),
    },
    (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', fail);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (response.complete) resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        else fail(new Error('the response is incomplete'));
      });
    },
  );
  sent.on('error', fail);
  sent.end(body === undefined || isRaw(body) ? body : JSON.stringify(body));
  return promise;
}

/** Errors of a server that is busy or starts: it did nothing of the request. */
const NOT_SERVED = /"error":"(The database is busy|Too many requests are waiting|The service is overloaded)/;
/** Repetitions of a request that is not served. */
const MAX_REPEATS = 30;

/**
 * Sends a request, and again while the server is too busy to serve it: after `Retry-After`, as the contract says. Other
 * responses, 503 of other reasons included, are those of the test.
 */
export async function untilServed<T extends HttpResponse>(
  send: () => Promise<T>,
  maxRepeats = MAX_REPEATS,
): Promise<T> {
  const response = await send();
  if (response.status !== 503 || !NOT_SERVED.test(response.text) || maxRepeats === 0) return response;
  await wait(Number(response.headers['retry-after']) * 1000);
  return untilServed(send, maxRepeats - 1);
}

/** Headers of a request by the operator, for one company if given. */
export const operatorHeaders = (company?: number): Record<string, string> => ({
  Authorization: `Bearer ${OPERATOR_TOKEN}`,
  ...(company !== undefined && { 'X-Company-Id': String(company) }),
});

/** Calls a management procedure as the operator, for all companies or for one. */
export async function callManagement<T>(url: string, name: string, input: object, company?: number): Promise<T> {
  const call = { method: 'POST', headers: operatorHeaders(company), body: input };
  const response = await untilServed(() => sendRequest(`${url}/trpc/management.${name}`, call));
  if (response.status !== 200) throw new Error(`${name}: ${response.status} ${response.text}`);
  return (JSON.parse(response.text) as { result: { data: T } }).result.data;
}
