import { randomBytes } from 'node:crypto';
import type { ParameterizedContext } from 'koa';

/** Creates the nonce of a response. https://www.w3.org/TR/CSP3/#security-nonces */
export const newNonce = (): string => randomBytes(16).toString('base64');

/**
 * Headers of a page. Its address may hold the token of a link, so other origins get no `Referer`. Requests to this server need one over http:
 * `PageOrigins` says why.
 */
export const pageHeaders = (contentSecurityPolicy: string): Record<string, string> => ({
  'Content-Security-Policy': contentSecurityPolicy,
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
});

/**
 * Builds a policy that blocks other hosts, and inline scripts and styles without the nonce. https://www.w3.org/TR/CSP3/
 * `frame-src blob:` permits the previews of evidence: without it, `default-src` blocks each frame. Such a
 * frame inherits the rest of the policy. Its pictures are `data:` addresses, and its `sandbox` permits nothing.
 */
export const applicationPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    'frame-src blob:',
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

/**
 * Policy of a worker, which has its own and not that of its page. The worker reads PDF files of people, so it may request nothing,
 * not even from this server. `'wasm-unsafe-eval'` permits the WebAssembly that decodes scans, and no `eval`.
 */
export const WORKER_POLICY = "default-src 'none'; script-src 'wasm-unsafe-eval'";

/**
 * Returns true if a browser opens the address as a page. Browsers send `Sec-Fetch-Dest` only over https and to loopback addresses, and
 * some proxies remove it. Without it the `Accept` of a navigation decides, which names `text/html`; programs take any type.
 * https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Dest
 */
export function isNavigation(ctx: Pick<ParameterizedContext, 'get' | 'accepts'>): boolean {
  const destination = ctx.get('Sec-Fetch-Dest');
  return destination === '' ? ctx.accepts().includes('text/html') : destination === 'document';
}
