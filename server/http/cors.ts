import koaCors from '@koa/cors';
import type { Context, Middleware } from 'koa';

/** Seconds for which a browser caches the response to a preflight. */
const PREFLIGHT_MAX_AGE_SECONDS = 600;

const ALLOWED_HEADERS = [
  'X-API-Key',
  'Content-Type',
  'If-Match',
  'If-None-Match',
  'Idempotency-Key',
  'Prefer',
  'X-Request-Id',
  'Authorization',
  'X-Company-Id',
];
const EXPOSED_HEADERS = [
  'X-Request-Id',
  'X-Error-Code',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'Allow',
  'Location',
  'Link',
  'X-Total-Count',
  'ETag',
  'Idempotency-Replayed',
  'Preference-Applied',
  'Deprecation',
  'Sunset',
  'X-API-Key-Expires',
  'X-API-Key-Rotated',
];

/**
 * Allows cross-origin requests from pages of these origins. A preflight gets its response before authentication, because
 * browsers send it without a key. Every other response, errors included, carries the headers that make it readable.
 * https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export function cors(origins: readonly string[]): Middleware<{ requestId: string }> {
  const allowedOrigins = new Set(origins);
  return koaCors({
    origin: (ctx: Context) => (allowedOrigins.has(ctx.get('Origin')) ? ctx.get('Origin') : ''),
    allowMethods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    allowHeaders: ALLOWED_HEADERS,
    exposeHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_MAX_AGE_SECONDS,
    // Not needed: the headers are set on the response itself, and the error handler keeps them.
    keepHeadersOnError: false,
  });
}
