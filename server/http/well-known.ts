import { hash } from 'node:crypto';
import type { Middleware } from 'koa';
import type { Database } from '../../database/database.ts';
import { Session } from '../../database/session.ts';
import { listSigningKeys } from '../../entities/signing-key/signing-key.ts';
import type { Services } from '../../procedures/core/services.ts';
import { toPublishedJwk } from '../../procedures/core/signing.ts';
import { requireSafeMethod } from './error-handler.ts';
import type { RequestState } from './request-state.ts';

const SIGNING_KEYS_PATH = '/.well-known/signing-keys.json';
/** Seconds for which clients may cache the keys. */
const MAX_AGE_S = 300;
/** Milliseconds after which the keys are read again, as another process may have recorded one. */
const KEPT_MS = 1000;

interface KeptKeys {
  /** The key of this process when they were read. */
  current: string | undefined;
  readAt: number;
  content: Promise<{ body: string; entityTag: string }>;
}

/**
 * Serves the public keys of the installation, old ones too, newest first (RFC 7517, section 5). Contract, section 20. Anybody may ask for
 * them, so they are kept for a second, unless this process signs with another key since.
 */
export function signingKeys(database: Database, signing: Services['signing']): Middleware<RequestState> {
  let kept: KeptKeys | undefined;
  const read = async () => {
    const rows = await new Session(database, null, 'signing-keys').run(listSigningKeys, {});
    const body = JSON.stringify({ keys: rows.map(toPublishedJwk) });
    return { body, entityTag: `"${hash('sha256', body).slice(0, 16)}"` };
  };
  const readOnce = (): KeptKeys['content'] => {
    const current = signing?.current.keyId;
    const now = performance.now();
    if (kept === undefined || kept.current !== current || now - kept.readAt >= KEPT_MS) {
      const reading: KeptKeys = { current, readAt: now, content: read() };
      kept = reading;
      reading.content.catch(() => {
        if (kept === reading) kept = undefined; // the next request tries again
      });
    }
    return kept.content;
  };
  return async (ctx, next) => {
    if (ctx.path !== SIGNING_KEYS_PATH) {
      await next();
      return;
    }
    ctx.state.route = SIGNING_KEYS_PATH;
    requireSafeMethod(ctx);
    const { body, entityTag } = await readOnce();
    ctx.set({ 'Cache-Control': `public, max-age=${MAX_AGE_S}`, ETag: entityTag });
    ctx.status = 200;
    if (ctx.fresh) {
      ctx.status = 304;
      return;
    }
    ctx.set('Content-Type', 'application/jwk-set+json');
    ctx.body = body;
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
