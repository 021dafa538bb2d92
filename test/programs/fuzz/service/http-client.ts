import { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { isRaw, sendRequest as sendPlain } from '../../../support/http/client.ts';
import type { HttpResponse as PlainResponse, RequestOptions } from '../../../support/http/client.ts';
import { assertConforms } from '../../../support/openapi/conformance.ts';
import { Finding } from '../runner/finding.ts';
import type { Service } from './service.ts';

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/** Maximum size of path and headers. Less than the limit of the service, which also counts the headers of Node's client. */
const MAX_HEADER_BYTES = 7500;

/** Time for which a request is repeated, because a busy machine could not serve it. */
const BUSY_MS = 30_000;

export type HttpRequest = Omit<RequestOptions, 'agent'> & { path: string };

export interface HttpResponse extends PlainResponse {
  /** Parsed JSON; undefined for other content types. */
  body: unknown;
}

const bodyText = (body: unknown) => (isRaw(body) ? body.toString() : JSON.stringify(body));

/** Describes a request for messages, without its credentials. */
export const describeRequest = ({ method, path, headers = {}, body }: HttpRequest): string => {
  const { 'X-API-Key': _, Authorization: __, ...others } = headers;
  const text = body === undefined ? '' : ` ${bodyText(body)}`;
  return `${method} ${path} ${JSON.stringify(others)}${text}`.slice(0, 2000);
};

/** True for a response of the service that could not begin the request in time. Nothing has changed. */
const isBusy = ({ status, headers }: Pick<PlainResponse, 'status' | 'headers'>): boolean =>
  status === 503 && headers['retry-after'] !== undefined;

/**
 * Sends a request, again if the service is busy, and checks that the response conforms to the OpenAPI document.
 * @throws Finding if the response does not conform, does not arrive, or has a 5xx status
 */
export async function sendRequest({ url }: Service, httpRequest: HttpRequest): Promise<HttpResponse> {
  const { path, ...options } = httpRequest;
  const send = () =>
    sendPlain(`${url}${path}`, { ...options, agent }).catch((error: Error) => {
      throw new Finding('no response', `${error.message} to ${describeRequest(httpRequest)}`);
    });
  const end = performance.now() + BUSY_MS;
  let response = await send();
  while (isBusy(response) && performance.now() < end) {
    await wait(Number(response.headers['retry-after']) * 1000);
    response = await send();
  }
  const isJson = /^application\/(problem\+)?json/.test(response.headers['content-type'] ?? '') && response.text !== '';
  const result = { ...response, body: isJson ? (JSON.parse(response.text) as unknown) : undefined };
  const { method, headers = {} } = options;
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
