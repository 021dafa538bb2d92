import type { Middleware } from 'koa';
import { requireSafeMethod } from './error-handler.ts';
import type { RequestState } from './request-state.ts';

const PATH = '/.well-known/security.txt';
/** Validity of the file; RFC 9116 recommends less than a year. */
const VALIDITY_MS = 180 * 86_400_000;

/** Serves `/.well-known/security.txt`, which names the contact for vulnerability reports (RFC 9116). */
export function securityTxt(contact: string): Middleware<RequestState> {
  return async (ctx, next) => {
    if (ctx.path !== PATH) {
      await next();
      return;
    }
    ctx.state.route = PATH;
    requireSafeMethod(ctx);
    const expires = new Date(Date.now() + VALIDITY_MS).toISOString().replace(/\.\d+/, '');
    ctx.set('Content-Type', 'text/plain; charset=utf-8');
    ctx.body = `Contact: ${contact}\nExpires: ${expires}\nPreferred-Languages: en\n`;
  };
}
