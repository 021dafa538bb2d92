import { verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { ApiError } from '../../entities/api-error.ts';
import { processLeakReport } from '../../procedures/api-key/leak-reports.ts';
import { methodNotAllowed, noSuchPath } from '../http/error-handler.ts';
import { parseJson, readBody, requireJsonContentType } from '../http/body/json-body.ts';
import { PublicKeysUnavailableError, PublicKeyCache } from './public-keys.ts';

/** Path that receives reports of leaked keys. */
export const REPORTS_PATH = '/integrations/secret-scanning/github';
const IDENTIFIER_HEADER = 'Github-Public-Key-Identifier';
const SIGNATURE_HEADER = 'Github-Public-Key-Signature';
/** Maximum size of a report; ten thousand findings take about 2.5 MB. */
const MAX_REPORT_BYTES = 8 * 1024 * 1024;
const MAX_FINDINGS = 50_000;
/** Maximum number of reports read concurrently. Bodies are in memory before their signatures are verified. */
const MAX_CONCURRENT = 16;

/**
 * Receives reports of GitHub's secret scanning partner program: a JSON array with an ECDSA P-256 signature of its bytes.
 * The body is parsed only after its signature is verified. Contract, section 5.
 * https://docs.github.com/en/code-security/secret-scanning/secret-scanning-partnership-program/secret-scanning-partner-program
 */
export function secretScanningRoute(
  database: Database,
  keysUrl: string,
  log: Logger,
): Middleware<{ requestId: string }> {
  const keys = new PublicKeyCache(keysUrl);
  let activeReads = 0;

  async function readSigned(ctx: Context): Promise<Buffer> {
    const signature = Buffer.from(requireHeader(ctx, SIGNATURE_HEADER), 'base64');
    const key = await findPublicKey(keys, ctx);
    requireJsonContentType(ctx);
    if (activeReads >= MAX_CONCURRENT)
      throw new ApiError('unavailable', 'Too many concurrent reports. Try again shortly.');
    activeReads += 1;
    try {
      const bytes = await readBody(ctx, MAX_REPORT_BYTES);
      if (verify('sha256', bytes, key, signature)) return bytes;
      throw new ApiError('forbidden', `${SIGNATURE_HEADER}: not a valid signature of this body`);
    } finally {
      activeReads -= 1;
    }
  }

  return async (ctx) => {
    if (ctx.path !== REPORTS_PATH && ctx.path !== `${REPORTS_PATH}/`) throw noSuchPath();
    if (ctx.method !== 'POST') throw methodNotAllowed(ctx, ['POST']);
    const { requestId } = ctx.state;
    const report = requireFindings(parseJson(await readSigned(ctx)));
    const { verdicts, keyIds } = await processLeakReport(database, requestId, report);
    log.info({ requestId, findings: report.length, keys: keyIds }, 'secret scanning: report processed');
    ctx.type = 'application/json';
    ctx.body = JSON.stringify(verdicts);
  };
}

function requireHeader(ctx: Context, name: string): string {
  const value = ctx.get(name);
  if (value === '') throw new ApiError('forbidden', `${name}: required`);
  return value;
}

async function findPublicKey(keys: PublicKeyCache, ctx: Context): Promise<KeyObject> {
  try {
    const key = await keys.find(requireHeader(ctx, IDENTIFIER_HEADER));
    if (key !== undefined) return key;
  } catch (error) {
    if (!(error instanceof PublicKeysUnavailableError)) throw error;
    ctx.set('Retry-After', String(error.retryAfter));
    const message = 'The public keys of the scanner are unavailable. Try again shortly.';
    throw new ApiError('unavailable', message, { cause: error });
  }
  throw new ApiError('forbidden', `${IDENTIFIER_HEADER}: not a public key of the scanner`);
}

function requireFindings(body: unknown): unknown[] {
  if (!Array.isArray(body)) throw new ApiError('invalid_request', 'The body is not a JSON array.');
  if (body.length > MAX_FINDINGS) {
    throw new ApiError('payload_too_large', `The report has more than ${MAX_FINDINGS} findings.`);
  }
  return body;
}
