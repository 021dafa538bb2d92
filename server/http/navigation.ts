import type { ParameterizedContext } from 'koa';

/**
 * Returns true if a browser opens the address as a page. Browsers send `Sec-Fetch-Dest` only over https and to loopback addresses, and
 * some proxies remove it. Without it the `Accept` of a navigation decides, which names `text/html`; programs take any type.
 * https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Dest
 */
export function isNavigation(ctx: Pick<ParameterizedContext, 'get' | 'accepts'>): boolean {
  const destination = ctx.get('Sec-Fetch-Dest');
  return destination === '' ? ctx.accepts().includes('text/html') : destination === 'document';
}
