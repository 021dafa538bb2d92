import type { IncomingHttpHeaders } from 'node:http';
import type { ParameterizedContext } from 'koa';
import { ApiError } from '../../entities/api-error.ts';
import { isLoopbackUrl } from '../../procedures/sign-in/issuer.ts';
import { serverUrl } from '../config/settings.ts';

/** Origin that a request was sent to. `ctx.origin` of Koa 3 is the header `Origin` instead, which the client sends. */
export const requestOrigin = ({ protocol, host }: Pick<ParameterizedContext, 'protocol' | 'host'>): string =>
  `${protocol}://${host}`;

/** Origins whose pages a server trusts. */
interface TrustedOrigins {
  /** Public origin of the server. */
  appUrl: () => string;
  /** Other origins whose pages may send requests. */
  corsOrigins: readonly string[];
  /** Address on which the server listens. Its pages have loopback names too if it listens on a loopback address. */
  host: string;
}

/** Headers of a request, and the origin that it was sent to. */
interface ReceivedRequest {
  headers: IncomingHttpHeaders;
  requestOrigin: string;
  /** True for GET and HEAD. */
  isSafe: boolean;
}

/**
 * Decides by its headers if a request comes from a page of this server. Browsers set `Origin`, `Referer` and `Sec-Fetch-Site`, and
 * pages cannot change them to those of another origin. They are not enough against DNS rebinding: there the attacker's own host name
 * resolves to this server, so the request has that name in `Host` and in `Origin`, and is `same-origin`.
 * https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Site
 *
 * Browsers send `Sec-Fetch-Site` only over https and to loopback addresses, and some proxies remove it. Without it `Origin` decides,
 * which browsers send with each write, or else `Referer`, which they send with a read because pages have `Referrer-Policy: same-origin`.
 */
export class PageOrigins {
  readonly #trusted: TrustedOrigins;
  readonly #isLoopback: boolean;

  constructor(trusted: TrustedOrigins) {
    this.#trusted = trusted;
    this.#isLoopback = isLoopbackUrl(serverUrl({ host: trusted.host, port: 0 }));
  }

  /**
   * Rejects requests that a page of another origin may have caused (CSRF).
   * @throws ApiError 403
   */
  requireSameOrigin(request: ReceivedRequest): void {
    const { 'sec-fetch-site': site } = request.headers;
    const source = sourceOf(request);
    if (site === undefined ? source === undefined || !this.#isOwn(source, request) : site !== 'same-origin')
      throw CROSS_ORIGIN;
    this.rejectForeignOrigin(request);
  }

  /** The same for a request without a cookie, which programs other than browsers send without these headers. */
  rejectCrossOrigin(request: ReceivedRequest): void {
    const { 'sec-fetch-site': site } = request.headers;
    if (site !== undefined || sourceOf(request) !== undefined) this.requireSameOrigin(request);
  }

  /**
   * Rejects requests of pages that neither belong to this server nor to an allowed origin. Programs send no `Origin`.
   * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning
   * @throws ApiError 403
   */
  rejectForeignOrigin(request: Omit<ReceivedRequest, 'isSafe'>): void {
    const { origin } = request.headers;
    if (origin !== undefined && !this.#isOwn(origin, request) && !this.#trusted.corsOrigins.includes(origin))
      throw FOREIGN_ORIGIN;
  }

  #isOwn(origin: string, request: Pick<ReceivedRequest, 'requestOrigin'>): boolean {
    if (origin === this.#trusted.appUrl()) return true;
    return this.#isLoopback && isLoopbackUrl(origin) && hasSamePort(origin, request.requestOrigin);
  }
}

/**
 * Origin of the page that sent a request, as its headers name it. A read of the same origin has no `Origin`.
 * @returns text that is no origin for a `Referer` that is no URL; undefined without these headers
 */
const sourceOf = ({ headers: { origin, referer }, isSafe }: ReceivedRequest): string | undefined =>
  origin ?? (isSafe && referer !== undefined ? (URL.parse(referer)?.origin ?? 'null') : undefined);

/**
 * Returns true if both origins have the same scheme and port. The port of the request may differ from that of the server:
 * containers and tunnels map ports.
 */
function hasSamePort(origin: string, other: string): boolean {
  const [left, right] = [URL.parse(origin), URL.parse(other)];
  return left?.origin === origin && left.protocol === right?.protocol && left.port === right.port;
}

const FOREIGN_ORIGIN = new ApiError('forbidden', 'Origin: expected the origin of this server');
const CROSS_ORIGIN = new ApiError('forbidden', 'Cookies are accepted only from pages of this server.');
