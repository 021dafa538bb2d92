import { http } from './server.ts';
import type { HttpResponse } from './server.ts';

/** A browser with a page of the server: it keeps the session cookie and sends what browsers send. */
export class Browser {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  /** `name=value` of the session cookie; undefined without one. */
  cookie: string | undefined;

  /** @param headers further headers of each request */
  constructor(url: string, { cookie, ...headers }: Record<string, string> = {}) {
    this.#url = url;
    this.#headers = headers;
    this.cookie = cookie;
  }

  async send(method: string, path: string, body?: object): Promise<HttpResponse> {
    const headers = {
      ...this.#headers,
      'Sec-Fetch-Site': 'same-origin',
      ...(this.cookie !== undefined && { Cookie: this.cookie }),
    };
    const response = await http(method, path, { headers, baseUrl: this.#url, ...(body !== undefined && { body }) });
    const [setCookie] = response.headers['set-cookie'] ?? [];
    if (setCookie !== undefined) {
      const [pair = ''] = setCookie.split(';');
      this.cookie = pair.endsWith('=') ? undefined : pair;
    }
    return response;
  }

  /** Status and error code of `POST /session`. */
  signIn = async (email: string, password: string, code?: string): Promise<[number, string?]> => {
    const response = await this.send('POST', '/session', { email, password, ...(code !== undefined && { code }) });
    return statusAndCode(response);
  };

  /** Calls a query over `/trpc`. */
  query = (name: string): Promise<HttpResponse> => this.send('GET', `/trpc/${name}`);
}

export function statusAndCode({ status, headers }: HttpResponse): [number, string?] {
  const code = headers['x-error-code'];
  return typeof code === 'string' ? [status, code] : [status];
}
