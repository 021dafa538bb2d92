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

/** Nobody listens: the request was not sent. */
export const CONNECTION_REFUSED = 'ECONNREFUSED';

/** Longer than any request may take, so that one which hangs is seen to hang. */
const REQUEST_TIMEOUT_MS = 20_000;

/**
 * Sends a request.
 * @throws Error with the code of what happened to the connection, and whether it was a new one, where no whole answer came
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
        else fail(new Error('the answer ends early'));
      });
    },
  );
  sent.on('error', fail);
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}

/** A command of the operator's, or of a company's administration. */
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
