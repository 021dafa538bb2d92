/** A request to the service. Requests that are recorded with a fixture have this form too. */
export interface ServiceRequest {
  method: string;
  /** Path with its query. */
  path: string;
  headers: Record<string, string>;
  /** JSON or text; undefined without a body. */
  body?: string;
}

/** A response, without the headers that differ each time. */
export interface ServiceResponse {
  status: number;
  etag: string | null;
  /** Parsed JSON, or text. */
  body: unknown;
}

export const OPERATOR_TOKEN = 'operator-token-of-the-fixtures-0123456789';
const OPERATOR = { Authorization: `Bearer ${OPERATOR_TOKEN}` };
const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Builds a request with an API key. */
export const rest = (key: string, method: string, path: string, body?: unknown, headers = {}): ServiceRequest => ({
  method,
  path,
  headers: { 'X-API-Key': key, ...(body !== undefined && JSON_TYPE), ...headers },
  ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
});

/** Builds a query over tRPC. */
export const query = (headers: Record<string, string>, procedure: string, input?: unknown): ServiceRequest => ({
  method: 'GET',
  path: `/trpc/${procedure}${input === undefined ? '' : `?input=${encodeURIComponent(JSON.stringify(input))}`}`,
  headers,
});

/** Builds a mutation over tRPC. */
export const mutation = (headers: Record<string, string>, procedure: string, input: unknown): ServiceRequest => ({
  method: 'POST',
  path: `/trpc/${procedure}`,
  headers: { ...headers, ...JSON_TYPE },
  ...(input !== undefined && { body: JSON.stringify(input) }),
});

/** Headers of the operator, in a company if there is one. */
export const asOperator = (company?: number) => ({
  ...OPERATOR,
  ...(company !== undefined && { 'X-Company-Id': String(company) }),
});

/** Headers of a page of the application with a session. */
export const asPerson = (cookie: string) => ({ Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' });

/** Sends requests to one service. */
export class Client {
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  async fetch({ method, path, headers, body }: ServiceRequest): Promise<Response> {
    return fetch(`${this.url}${path}`, { method, headers, ...(body !== undefined && { body }), redirect: 'manual' });
  }

  async send(request: ServiceRequest): Promise<ServiceResponse> {
    const response = await this.fetch(request);
    const text = await response.text();
    const isJson = /^application\/(?:problem\+)?json/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, etag: response.headers.get('etag'), body: isJson ? JSON.parse(text) : text };
  }

  /** Sends a request that must succeed. */
  async require(request: ServiceRequest): Promise<Body> {
    const { status, body } = await this.send(request);
    if (status >= 300) throw new Error(`${request.method} ${request.path}: ${status} ${JSON.stringify(body)}`);
    return body as Body;
  }

  /** Calls a mutation over tRPC that must succeed. Returns its result. */
  async mutate(headers: Record<string, string>, procedure: string, input?: unknown): Promise<Body> {
    return resultOf(await this.require(mutation(headers, procedure, input)));
  }

  /** Calls a query over tRPC that must succeed. Returns its result. */
  async query(headers: Record<string, string>, procedure: string, input?: unknown): Promise<Body> {
    return resultOf(await this.require(query(headers, procedure, input)));
  }

  /** Posts to a route below `/session` as a page does. Returns the cookie of the session that it starts, if any. */
  async post(path: string, body: object, headers: Record<string, string> = {}): Promise<string> {
    const page = { 'Sec-Fetch-Site': 'same-origin', ...JSON_TYPE, ...headers };
    const response = await this.fetch({ method: 'POST', path, headers: page, body: JSON.stringify(body) });
    const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0] ?? '');
    return cookies.join('; ');
  }
}

/** Fields of a JSON object whose types the scenario knows. */
export interface Body {
  [field: string]: unknown;
  uniqueId: string;
  id: number;
  key: string;
  link: string;
  secret: string;
  nextCursor: string | null;
  recoveryCodes: string[];
}

const resultOf = (body: unknown): Body => (body as { result: { data: Body } }).result.data;
