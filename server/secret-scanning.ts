import { verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import type { Logger } from 'pino';
import type { Database } from '../entities/database/database.ts';
import { Refusal } from '../entities/refusal.ts';
import { judgeReport } from '../procedures/leaked-keys.ts';
import { parseJson, readBytes, requireJson } from './json-body.ts';
import { KeysUnavailable, PublicKeys } from './public-keys.ts';
import { noSuchPath } from './refuse.ts';

/** Where reports are sent to. */
export const REPORTS = '/integrations/secret-scanning/github';
const IDENTIFIER = 'Github-Public-Key-Identifier';
const SIGNATURE = 'Github-Public-Key-Signature';
/** A report of ten thousand findings is about 2.5 MB. */
const REPORT_BYTES = 8 * 1024 * 1024;
const FINDINGS_MOST = 50_000;
/** Reports that are read at once: their bodies are held in memory before it is known whether anybody vouches for them. */
const AT_ONCE = 16;

/**
 * Receives what GitHub's secret scanning found in public, as its partner programme has it: a JSON array signed with
 * ECDSA on P-256 over its very bytes. Nothing is parsed before the signature holds. Contract, section 5.
 */
export function secretScanning(database: Database, keysUrl: string, log: Logger): Middleware<{ requestId: string }> {
  const keys = new PublicKeys(keysUrl);
  let reading = 0;

  async function readSigned(ctx: Context): Promise<Buffer> {
    const signature = Buffer.from(headerOf(ctx, SIGNATURE), 'base64');
    const key = await keyOf(keys, ctx);
    requireJson(ctx);
    if (reading >= AT_ONCE) throw new Refusal('unavailable', 'Too many reports at once. Try again shortly.');
    reading += 1;
    try {
      const bytes = await readBytes(ctx, REPORT_BYTES);
      if (verify('sha256', bytes, key, signature)) return bytes;
      throw new Refusal('forbidden', `${SIGNATURE}: not the signature of this body by that key`);
    } finally {
      reading -= 1;
    }
  }

  return async (ctx) => {
    if (ctx.path !== REPORTS && ctx.path !== `${REPORTS}/`) throw noSuchPath();
    if (ctx.method !== 'POST') {
      ctx.set('Allow', 'POST');
      throw new Refusal('method_not_allowed', 'This path takes POST.');
    }
    const { requestId } = ctx.state;
    const report = findingsOf(parseJson(await readSigned(ctx)));
    const { verdicts, keys: found } = await judgeReport(database, requestId, report);
    log.info({ requestId, findings: report.length, keys: found }, 'a report of leaked keys');
    ctx.type = 'application/json';
    ctx.body = JSON.stringify(verdicts);
  };
}

function headerOf(ctx: Context, name: string): string {
  const value = ctx.get(name);
  if (value === '') throw new Refusal('forbidden', `${name}: required`);
  return value;
}

async function keyOf(keys: PublicKeys, ctx: Context): Promise<KeyObject> {
  try {
    const key = await keys.find(headerOf(ctx, IDENTIFIER));
    if (key !== undefined) return key;
  } catch (error) {
    if (!(error instanceof KeysUnavailable)) throw error;
    ctx.set('Retry-After', String(error.retrySeconds));
    const message = 'The public keys of the scanner cannot be fetched. Try again shortly.';
    throw new Refusal('unavailable', message, { cause: error });
  }
  throw new Refusal('forbidden', `${IDENTIFIER}: not a key that the scanner publishes`);
}

function findingsOf(body: unknown): unknown[] {
  if (!Array.isArray(body)) throw new Refusal('invalid_request', 'The body is not a JSON array.');
  if (body.length > FINDINGS_MOST) {
    throw new Refusal('payload_too_large', `The report holds more than ${FINDINGS_MOST} findings.`);
  }
  return body;
}
