import koaCors from '@koa/cors';
import type { Context, Middleware } from 'koa';

/** Seconds for which a browser need not ask again whether it may ask. */
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
 * Lets pages of these origins ask from a browser. A preflight of theirs is answered before authentication, because a
 * browser sends no key with it; everything else goes on, with headers that let the page read the answer, errors too.
 */
export function cors(origins: readonly string[]): Middleware<{ requestId: string }> {
  const allowedOrigins = new Set(origins);
  return koaCors({
    origin: (ctx: Context) => (allowedOrigins.has(ctx.get('Origin')) ? ctx.get('Origin') : ''),
    allowMethods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    allowHeaders: ALLOWED_HEADERS,
    exposeHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_MAX_AGE_SECONDS,
    // They are set on the answer itself, which keeps them.
    keepHeadersOnError: false,
  });
}
