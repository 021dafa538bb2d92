import type { Middleware } from 'koa';
import type { Database } from '../../database/database.ts';
import { Session } from '../../database/session.ts';
import { listSigningKeys } from '../../entities/signing-key/signing-key.ts';
import { toPublishedJwk } from '../../procedures/core/signing.ts';
import { requireSafeMethod } from './error-handler.ts';
import type { RequestState } from './request-state.ts';

const SIGNING_KEYS_PATH = '/.well-known/signing-keys.json';
/** Seconds for which clients may cache the keys. */
const MAX_AGE_S = 300;

/** Serves the public keys of the installation, old ones too, newest first (RFC 7517, section 5). Contract, section 20. */
export function signingKeys(database: Database): Middleware<RequestState> {
  return async (ctx, next) => {
    if (ctx.path !== SIGNING_KEYS_PATH) {
      await next();
      return;
    }
    ctx.state.route = SIGNING_KEYS_PATH;
    requireSafeMethod(ctx);
    const rows = await new Session(database, null, ctx.state.requestId).run(listSigningKeys, {});
    ctx.set({ 'Content-Type': 'application/jwk-set+json', 'Cache-Control': `public, max-age=${MAX_AGE_S}` });
    ctx.body = JSON.stringify({ keys: rows.map(toPublishedJwk) });
  };
}

const SECURITY_TXT_PATH = '/.well-known/security.txt';
/** Validity of the file; RFC 9116 recommends less than a year. */
const VALIDITY_MS = 180 * 86_400_000;

/** Serves `/.well-known/security.txt`, which names the contact for vulnerability reports (RFC 9116). */
export function securityTxt(contact: string): Middleware<RequestState> {
  return async (ctx, next) => {
    if (ctx.path !== SECURITY_TXT_PATH) {
      await next();
      return;
    }
    ctx.state.route = SECURITY_TXT_PATH;
    requireSafeMethod(ctx);
    const expires = new Date(Date.now() + VALIDITY_MS).toISOString().replace(/\.\d+/, '');
    ctx.set('Content-Type', 'text/plain; charset=utf-8');
    ctx.body = `Contact: ${contact}\nExpires: ${expires}\nPreferred-Languages: en\n`;
  };
}
