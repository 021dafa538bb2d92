import koaCors from '@koa/cors';
import type { Context, Middleware } from 'koa';
import { serviceRouter } from '../../procedures/index.ts';
import { REQUEST_HEADER_NAMES } from '../openapi/request-headers.ts';
import { RESPONSE_HEADER_NAMES } from '../openapi/response-headers.ts';
import { compileRoutes } from '../rest/routes.ts';
import type { RequestState } from './request-state.ts';

/** Seconds for which a browser caches the response to a preflight. */
const PREFLIGHT_MAX_AGE_SECONDS = 600;

/** Request headers beside those of the operations: credentials, the company of the operator, streamed batches of tRPC, and traces. */
const OTHER_REQUEST_HEADERS = [
  'X-API-Key',
  'Authorization',
  'Content-Type',
  'X-Company-Id',
  'trpc-accept',
  'traceparent',
  'tracestate',
];

/**
 * Allows cross-origin requests from pages of these origins. A preflight gets its response before authentication, because
 * browsers send it without a key. Every other response, errors included, carries the headers that make it readable. What is allowed
 * and exposed follows the operations and the tables of their headers, so that a new operation works from a browser.
 * https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export function cors(origins: readonly string[]): Middleware<RequestState> {
  const allowedOrigins = new Set(origins);
  const methods = new Set(compileRoutes(serviceRouter).map(({ method }) => method));
  return koaCors({
    origin: (ctx: Context) => (allowedOrigins.has(ctx.get('Origin')) ? ctx.get('Origin') : ''),
    allowMethods: ['HEAD', ...methods],
    allowHeaders: [...OTHER_REQUEST_HEADERS, ...REQUEST_HEADER_NAMES],
    exposeHeaders: RESPONSE_HEADER_NAMES.filter((name) => !name.startsWith('Access-Control-')),
    maxAge: PREFLIGHT_MAX_AGE_SECONDS,
    // Not needed: the headers are set on the response itself, and the error handler keeps them.
    keepHeadersOnError: false,
  });
}
