import type { IncomingHttpHeaders } from 'node:http';
import type { ParameterizedContext } from 'koa';
import { ApiError } from '../../entities/api-error.ts';

/** Origin that a request was sent to. `ctx.origin` of Koa 3 is the header `Origin` instead, which the client sends. */
export const requestOrigin = ({ protocol, host }: Pick<ParameterizedContext, 'protocol' | 'host'>): string =>
  `${protocol}://${host}`;

/**
 * Rejects requests that a page of another origin may have caused (CSRF). Browsers set both headers, and pages cannot change
 * them. https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Site
 * @param origins origins of this server
 * @throws ApiError 403
 */
export function requireSameOrigin(headers: IncomingHttpHeaders, origins: readonly string[]): void {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  const isSameOrigin = site === undefined ? origin !== undefined && origins.includes(origin) : site === 'same-origin';
  if (!isSameOrigin) throw CROSS_ORIGIN;
}

/** The same for a request without a cookie, which programs other than browsers send without these headers. */
export function rejectCrossOrigin(headers: IncomingHttpHeaders, origins: readonly string[]): void {
  if (headers['sec-fetch-site'] !== undefined || headers.origin !== undefined) requireSameOrigin(headers, origins);
}

/**
 * Rejects requests of pages of another origin that carry no cookie. A page that reaches this server through DNS rebinding sends
 * its own origin. https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning
 * @throws ApiError 403
 */
export function rejectForeignOrigin({ origin }: IncomingHttpHeaders, origins: readonly string[]): void {
  if (origin !== undefined && !origins.includes(origin)) throw FOREIGN_ORIGIN;
}

const FOREIGN_ORIGIN = new ApiError('forbidden', 'Origin: expected the origin of this server');
const CROSS_ORIGIN = new ApiError('forbidden', 'Cookies are accepted only from pages of this server.');
