import { Agent, request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { conform } from '../support/conformity.ts';
import { Finding } from './finding.ts';
import type { Service } from './service.ts';

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/** Milliseconds after which an answer is taken never to come, where everything is slow. */
const HANGS = 30_000;

/** Bytes of a request line and headers that the service takes, less what every request of ours has beside those that count. */
const LARGEST_HEAD = 7500;

export interface Asked {
  method: string;
  path: string;
  headers?: Record<string, string>;
  /** Sent as it is; what is no text or buffer is sent as JSON. */
  body?: unknown;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** Undefined where there is no JSON. */
  body: unknown;
}

const isRaw = (body: unknown): body is string | Buffer => typeof body === 'string' || body instanceof Buffer;
const textOf = (body: unknown) => (isRaw(body) ? body.toString() : JSON.stringify(body));

/** How a request is shown to whom it concerns. */
export const shown = ({ method, path, headers = {}, body }: Asked): string => {
  const { 'X-API-Key': _, Authorization: __, ...others } = headers;
  const text = body === undefined ? '' : ` ${textOf(body)}`;
  return `${method} ${path} ${JSON.stringify(others)}${text}`.slice(0, 2000);
};

/**
 * Sends a request, and holds its answer against the document.
 * @throws Finding where it is not as the document says, does not come, or is a fault of the service's
 */
export async function ask({ port }: Service, asked: Asked): Promise<Answer> {
  const { method, path, headers = {}, body } = asked;
  const payload = body === undefined || isRaw(body) ? body : JSON.stringify(body);
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const sent = request(
    {
      agent,
      host: '127.0.0.1',
      port,
      method,
      path,
      headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
      timeout: HANGS,
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
  sent.on('timeout', () => sent.destroy(new Finding('unanswered', shown(asked))));
  sent.on('error', reject);
  sent.end(payload);
  const answer = await promise;
  if (answer.status >= 500) throw new Finding('5xx', `${answer.status} ${answer.text} to ${shown(asked)}`);
  // What is larger than its head may be never reaches the API.
  if (answer.status === 431 && path.length + JSON.stringify(headers).length > LARGEST_HEAD) return answer;
  try {
    conform(method, path, answer);
  } catch (error) {
    throw new Finding('not as documented', `${String(error)}\nto ${shown(asked)}`);
  }
  return answer;
}

/** Ends what is kept open. */
export const hangUp = (): void => agent.destroy();
