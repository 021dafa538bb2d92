import { request } from 'node:http';
import type { Agent, IncomingHttpHeaders } from 'node:http';

export interface HttpResponse {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

export interface RequestOptions {
  method: string;
  headers?: Record<string, string>;
  body?: unknown;
  agent?: Agent;
}

/** No process listens on the port: the request was not sent. */
export const CONNECTION_REFUSED = 'ECONNREFUSED';

/** Longer than the maximum duration of a request, so that the log shows how long a slow request took. */
const REQUEST_TIMEOUT_MS = 20_000;

/**
 * Sends a request.
 * @throws Error with the error code and the kind of the connection, new or kept alive, if no complete response arrived
 */
export function sendRequest(url: string, { method, headers = {}, body, agent }: RequestOptions): Promise<HttpResponse> {
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
  const sent = request(
    url,
    {
      method,
      ...(agent !== undefined && { agent }),
      headers: { ...headers, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
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
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}

/** Calls a management procedure as the operator, for all companies or for one. */
export async function callManagement<T>(
  url: string,
  token: string,
  name: string,
  input: object,
  company?: number,
): Promise<T> {
  const response = await sendRequest(`${url}/trpc/management.${name}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, ...(company !== undefined && { 'X-Company-Id': String(company) }) },
    body: input,
  });
  if (response.status !== 200) throw new Error(`${name}: ${response.status} ${response.text}`);
  return (JSON.parse(response.text) as { result: { data: T } }).result.data;
}
