import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { getRawBody } from 'raw-body';
import { ApiError } from '../../../entities/api-error.ts';
import { slices } from '../../../procedures/core/slices.ts';
import { UNCOUNTED_BODY_BYTES, bodyCounter } from './body-memory.ts';
import { withoutSlot } from '../load-shedding.ts';
import type { RequestState } from '../request-state.ts';

/** Maximum size of a body over REST and tRPC, in bytes, unless the procedure has another limit. */
export const MAX_BODY_BYTES = 256 * 1024;
const MAX_DEPTH = 32;
/** Body that is parsed without waiting for others. */
const LARGE_BODY_BYTES = 64 * 1024;

const utf8Decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a JSON object from the body. Checks media type, size, encoding, syntax and depth, in this order.
 * @throws ApiError 415, 413 or 400 (docs/contract.md)
 */
export async function readJsonBody(ctx: Context, maxBytes = MAX_BODY_BYTES): Promise<Record<string, unknown>> {
  return (await readJson(ctx, maxBytes)).value;
}

/**
 * Reads the text of a JSON object with the checks of `readJsonBody`. A parser that needs text must get this one: serializing
 * the parsed value would turn numbers beyond the range of a double into null.
 */
export async function readJsonText(ctx: Context, maxBytes: number): Promise<string> {
  return utf8Decoder.decode((await readJson(ctx, maxBytes)).bytes);
}

async function readJson(ctx: Context, maxBytes: number): Promise<{ value: Record<string, unknown>; bytes: Buffer }> {
  requireJsonContentType(ctx);
  const bytes = await readBody(ctx, maxBytes);
  const value = await parseInTurn(ctx, bytes);
  if (!isObject(value)) throw new ApiError('invalid_request', 'The body is not a JSON object.');
  if (isDeeperThan(MAX_DEPTH, value))
    throw new ApiError('invalid_request', `The body is nested deeper than ${MAX_DEPTH}.`);
  return { value, bytes };
}

/** Parses a large body in turn with those of other companies, because each takes milliseconds. */
async function parseInTurn({ state }: { state: Partial<RequestState> }, bytes: Buffer): Promise<unknown> {
  const parse = () => parseJson(bytes);
  return bytes.length > LARGE_BODY_BYTES ? slices.run(state.principal?.company, parse) : parse();
}

/** @throws ApiError 415 unless the headers declare uncompressed JSON in UTF-8 */
export function requireJsonContentType(ctx: Context): void {
  const { type, charset } = ctx.request;
  if (type.trim().toLowerCase() !== 'application/json' || !['', 'utf-8', 'utf8'].includes(charset.toLowerCase())) {
    throw new ApiError('unsupported_media_type', 'Content-Type: expected application/json');
  }
  if (!['', 'identity'].includes(ctx.get('Content-Encoding'))) {
    throw new ApiError('unsupported_media_type', 'Content-Encoding: expected none');
  }
}

/** @throws ApiError 413 if the client announces more than `maxBytes` */
export function requireLengthWithin(ctx: Context, maxBytes: number): void {
  if (Number(ctx.get('Content-Length')) > maxBytes) throw tooLarge(maxBytes);
}

/**
 * Sends `100 Continue` if the client waits for it before it sends the body. The caller checks the headers first, so that no
 * client sends a body that nobody reads. https://www.rfc-editor.org/rfc/rfc9110#section-10.1.1
 */
export function sendContinue(ctx: Context): void {
  const isExpected = ctx.get('Expect').toLowerCase() === '100-continue';
  if (isExpected && ctx.req.httpVersion !== '1.0') ctx.res.writeContinue(); // HTTP/1.0 has no interim responses
}

/** The error of a body that is larger than `maxBytes`. */
export const tooLarge = (maxBytes: number, cause?: unknown): ApiError =>
  new ApiError('payload_too_large', `The body is larger than ${maxBytes} bytes.`, { cause });

/**
 * Reads the raw body.
 * @throws ApiError 413 if it is larger than `maxBytes`, 400 if the client does not send all of it, 503 if bodies take too much
 * memory
 */
export async function readBody(ctx: Context, maxBytes: number): Promise<Buffer> {
  requireLengthWithin(ctx, maxBytes);
  sendContinue(ctx);
  try {
    const length = ctx.get('Content-Length') || null;
    const isSmall = length !== null && Number(length) <= UNCOUNTED_BODY_BYTES;
    const read = () =>
      getRawBody(isSmall ? ctx.req : Readable.from(countedBody(ctx), { objectMode: false }), {
        length,
        limit: maxBytes,
      });
    return await (ctx.req.complete ? read() : withoutSlot(ctx, read));
  } catch (error) {
    ctx.req.resume(); // discards the rest, so that the client can read the response
    if (error instanceof ApiError) throw error;
    if (error instanceof Error && 'type' in error && error.type === 'entity.too.large') {
      throw tooLarge(maxBytes, error);
    }
    throw new ApiError('invalid_request', 'The request body was incomplete.', { cause: error });
  }
}

/** Yields a body as it arrives, and counts what exceeds a small one. */
async function* countedBody(ctx: Context): AsyncGenerator<Buffer> {
  const count = bodyCounter(ctx);
  let uncounted = UNCOUNTED_BODY_BYTES;
  for await (const chunk of ctx.req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    const counted = Math.max(0, chunk.length - uncounted);
    uncounted -= chunk.length - counted;
    if (counted > 0) count(counted);
    yield chunk;
  }
}

/** @throws ApiError 400 unless the bytes are JSON in UTF-8 */
export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8Decoder.decode(bytes));
  } catch (error) {
    throw new ApiError('malformed_json', 'The body is not JSON in UTF-8.', { cause: error });
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}
