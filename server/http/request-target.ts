import type { Context, Middleware } from 'koa';
import { ApiError } from '../../entities/api-error.ts';
import type { RequestState } from './request-state.ts';

/**
 * Rejects a request without a path, and one that has `Host` more than once, or over HTTP/1.1 not at all.
 * https://www.rfc-editor.org/rfc/rfc9112#section-3.2
 * @throws ApiError 400
 */
export const validateTarget: Middleware<RequestState> = async (ctx, next) => {
  if (!hasPath(ctx)) throw new ApiError('invalid_request', 'The request target has no path.');
  const { rawHeaders, httpVersion } = ctx.req;
  const hosts = rawHeaders.filter(
    (name, index) => index % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host',
  );
  if (hosts.length > 1 || (hosts.length === 0 && httpVersion !== '1.0'))
    throw new ApiError('invalid_request', 'Host: expected once');
  await next();
};

/** Returns true if the request target has a path. `ctx.path` throws for a malformed target, and is null for `http://`. */
function hasPath(ctx: Pick<Context, 'path'>): boolean {
  try {
    return typeof ctx.path === 'string';
  } catch {
    return false;
  }
}
