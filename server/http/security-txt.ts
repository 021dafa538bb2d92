import type { Middleware } from 'koa';
import { requireSafeMethod } from './error-handler.ts';
import type { RequestState } from './error-handler.ts';

const PATH = '/.well-known/security.txt';
/** How long what it says may be relied on; RFC 9116 advises less than a year. */
const VALIDITY_MS = 180 * 86_400_000;

/** Tells where a weakness is reported to, as RFC 9116 has it. */
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
