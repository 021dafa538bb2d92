import { Agent, request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { assertConforms } from '../../support/openapi/conformance.ts';
import { Finding } from '../runner/finding.ts';
import type { Service } from './service.ts';

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/** Maximum time until a response, long enough for a slow machine. */
const RESPONSE_TIMEOUT_MS = 30_000;

/** Maximum size of path and headers. Less than the limit of the service, which also counts the headers of Node's client. */
const MAX_HEADER_BYTES = 7500;

export interface HttpRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  /** Strings and buffers are sent unchanged, other values as JSON. */
  body?: unknown;
}

export interface HttpResponse {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** Parsed JSON; undefined for other content types. */
  body: unknown;
}

const isRaw = (body: unknown): body is string | Buffer => typeof body === 'string' || body instanceof Buffer;
const bodyText = (body: unknown) => (isRaw(body) ? body.toString() : JSON.stringify(body));

/** Describes a request for messages, without its credentials. */
export const describeRequest = ({ method, path, headers = {}, body }: HttpRequest): string => {
  const { 'X-API-Key': _, Authorization: __, ...others } = headers;
  const text = body === undefined ? '' : ` ${bodyText(body)}`;
  return `${method} ${path} ${JSON.stringify(others)}${text}`.slice(0, 2000);
};

/**
 * Sends a request and checks that the response conforms to the OpenAPI document.
 * @throws Finding if the response does not conform, does not arrive, or has a 5xx status
 */
export async function sendRequest({ port }: Service, httpRequest: HttpRequest): Promise<HttpResponse> {
  const { method, path, headers = {}, body } = httpRequest;
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
  sent.on('timeout', () => sent.destroy(new Finding('no response', describeRequest(httpRequest))));
  sent.on('error', reject);
  sent.end(payload);
  const result = await promise;
  if (result.status >= 500)
    throw new Finding('5xx', `${result.status} ${result.text} to ${describeRequest(httpRequest)}`);
  // Node.js itself rejects a request with too large headers: the document does not describe this response.
  if (result.status === 431 && path.length + JSON.stringify(headers).length > MAX_HEADER_BYTES) return result;
  try {
    assertConforms(method, path, result);
  } catch (error) {
    throw new Finding('violates OpenAPI document', `${String(error)}\nto ${describeRequest(httpRequest)}`);
  }
  return result;
}

/** Closes idle keep-alive connections. */
export const closeConnections = (): void => agent.destroy();
