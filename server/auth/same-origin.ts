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
}

/**
 * Decides by its headers if a request comes from a page of this server. Browsers set `Origin` and `Sec-Fetch-Site`, and pages
 * cannot change them. Both alone are not enough against DNS rebinding: there the attacker's own host name resolves to
 * this server, so the request has that name in `Host` and in `Origin`, and is `same-origin`.
 * https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Site
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
    const { origin, 'sec-fetch-site': site } = request.headers;
    if (site === undefined ? origin === undefined || !this.#isOwn(origin, request) : site !== 'same-origin')
      throw CROSS_ORIGIN;
    this.rejectForeignOrigin(request);
  }

  /** The same for a request without a cookie, which programs other than browsers send without these headers. */
  rejectCrossOrigin(request: ReceivedRequest): void {
    const { origin, 'sec-fetch-site': site } = request.headers;
    if (site !== undefined || origin !== undefined) this.requireSameOrigin(request);
  }

  /**
   * Rejects requests of pages that neither belong to this server nor to an allowed origin. Programs send no `Origin`.
   * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning
   * @throws ApiError 403
   */
  rejectForeignOrigin(request: ReceivedRequest): void {
    const { origin } = request.headers;
    if (origin !== undefined && !this.#isOwn(origin, request) && !this.#trusted.corsOrigins.includes(origin))
      throw FOREIGN_ORIGIN;
  }

  #isOwn(origin: string, request: ReceivedRequest): boolean {
    if (origin === this.#trusted.appUrl()) return true;
    return this.#isLoopback && isLoopbackUrl(origin) && hasSamePort(origin, request.requestOrigin);
  }
}

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
