import type { Context } from 'koa';

/** Names the next page in `Link` (RFC 8288): the path that was asked for, with the same query but for the cursor. */
export function setNextLink(ctx: Context, cursor: unknown): void {
  if (typeof cursor !== 'string') return;
  const query = new URLSearchParams(ctx.querystring);
  query.set('cursor', cursor);
  ctx.set('Link', `<${ctx.path}?${query.toString()}>; rel="next"`);
}
