import { Agent, request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { assertConforms } from '../../support/openapi/conformance.ts';
import { Finding } from '../runner/finding.ts';
import type { Service } from './service.ts';

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/** Milliseconds after which an answer is taken never to come, where everything is slow. */
const RESPONSE_TIMEOUT_MS = 30_000;

/** Bytes of a request line and headers that the service takes, less what every request of ours has beside those that count. */
const MAX_HEADER_BYTES = 7500;

export interface HttpRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  /** Sent as it is; what is no text or buffer is sent as JSON. */
  body?: unknown;
}

export interface HttpResponse {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** Undefined where there is no JSON. */
  body: unknown;
}

const isRaw = (body: unknown): body is string | Buffer => typeof body === 'string' || body instanceof Buffer;
const bodyText = (body: unknown) => (isRaw(body) ? body.toString() : JSON.stringify(body));

/** How a request is shown to whom it concerns. */
export const describeRequest = ({ method, path, headers = {}, body }: HttpRequest): string => {
  const { 'X-API-Key': _, Authorization: __, ...others } = headers;
  const text = body === undefined ? '' : ` ${bodyText(body)}`;
  return `${method} ${path} ${JSON.stringify(others)}${text}`.slice(0, 2000);
};

/**
 * Sends a request, and holds its answer against the document.
 * @throws Finding where it is not as the document says, does not come, or is a fault of the service's
 */
export async function sendRequest({ port }: Service, asked: HttpRequest): Promise<HttpResponse> {
  const { method, path, headers = {}, body } = asked;
  const payload = body === undefined || isRaw(body) ? body : JSON.stringify(body);
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
  const sent = request(
    {
      agent,
      host: '127.0.0.1',
      port,
      method,
      path,
      headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
      timeout: RESPONSE_TIMEOUT_MS,
    },
    (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = /^application\/(problem\+)?json/.test(response.headers['content-type'] ?? '') && text !== '';
        const parsed: unknown = isJson ? JSON.parse(text) : undefined;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: parsed });
      });
    },
  );
  sent.on('timeout', () => sent.destroy(new Finding('no response', describeRequest(asked))));
  sent.on('error', reject);
  sent.end(payload);
  const result = await promise;
  if (result.status >= 500) throw new Finding('5xx', `${result.status} ${result.text} to ${describeRequest(asked)}`);
  // What is larger than its head may be never reaches the API.
  if (result.status === 431 && path.length + JSON.stringify(headers).length > MAX_HEADER_BYTES) return result;
  try {
    assertConforms(method, path, result);
  } catch (error) {
    throw new Finding('violates OpenAPI document', `${String(error)}\nto ${describeRequest(asked)}`);
  }
  return result;
}

/** Ends what is kept open. */
export const closeConnections = (): void => agent.destroy();
