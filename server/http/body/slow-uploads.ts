import type { Duplex } from 'node:stream';
import type { ParameterizedContext } from 'koa';
import { ApiError } from '../../../entities/api-error.ts';
import type { RequestState } from '../request-state.ts';
import { bodyCounter } from './body-memory.ts';
import { sendContinue, tooLarge } from './json-body.ts';

/** Milliseconds in which every file may arrive. */
const MIN_UPLOAD_TIMEOUT_MS = 300_000;
/** Bytes in a millisecond at which the largest file arrives in time: 100 kB/s. */
const MIN_BYTES_PER_MS = 100;
/** Maximum bytes of a file in memory while it arrives: a chunk that is stored, and what the connection delivers meanwhile. */
const UPLOAD_BYTES = 320 * 1024;
/** Milliseconds without data after which an upload ends. */
const STALL_TIMEOUT_MS = 15_000;

type UploadContext = ParameterizedContext<RequestState>;

/** Connections that receive a file. The timeout of other requests is too short for a large file on a slow connection. */
const uploading = new WeakSet<Duplex>();

/** Returns true if the request of a connection is a file, which has its own timeouts. */
export const isUploading = (socket: Duplex): boolean => uploading.has(socket);

/** Milliseconds in which a file must arrive. @param maxBytes that the operation takes */
export const uploadTimeoutMs = (maxBytes: number): number =>
  Math.max(MIN_UPLOAD_TIMEOUT_MS, Math.ceil(maxBytes / MIN_BYTES_PER_MS / 1000) * 1000);

/** Milliseconds for which the server still reads after its response. */
const LINGER_TIMEOUT_MS = 2000;

/**
 * Closes the connection after the response although the client may send more. Until then the server discards what arrives,
 * because closing at once would reset the connection, and a client that sends would lose the response.
 * https://www.rfc-editor.org/rfc/rfc9112#section-9.6
 */
function closeAfterResponse({ req, res }: Pick<ParameterizedContext, 'req' | 'res'>): void {
  const { socket } = req;
  if (!res.headersSent) res.setHeader('Connection', 'close');
  // Node calls this method after a response that closes the connection.
  socket.destroySoon = () => {
    socket.end();
    req.resume();
    const timer = setTimeout(() => socket.destroy(), LINGER_TIMEOUT_MS);
    socket.once('close', () => clearTimeout(timer));
  };
}

/**
 * Yields the body of a request as it arrives. The memory counts for the uploads of its caller, so that it leaves room for the
 * JSON bodies of the company.
 * @throws ApiError 413 if it is larger than `maxBytes`, 400 if the client does not send all of it in time, 503 if bodies take too
 * much memory
 */
export async function* readSlowly(ctx: UploadContext, maxBytes: number): AsyncGenerator<Uint8Array> {
  const { principal } = ctx.state;
  bodyCounter(
    ctx,
    principal ? `uploads ${principal.company} ${principal.key ?? principal.user.uniqueId}` : undefined,
  )(UPLOAD_BYTES);
  sendContinue(ctx);
  const { socket } = ctx.req;
  const deadline = performance.now() + uploadTimeoutMs(maxBytes);
  let bytes = 0;
  // Without this option the iterator closes the connection before an error response is sent.
  const iterator = ctx.req.iterator({ destroyOnReturn: false });
  uploading.add(socket);
  try {
    for (;;) {
      const next = await nextChunk(iterator, deadline);
      if (next.done === true) break;
      bytes += next.value.length;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      yield next.value;
    }
    if (!ctx.req.complete) throw new ApiError('invalid_request', 'The request body was incomplete.');
  } finally {
    uploading.delete(socket);
    if (!ctx.req.complete) closeAfterResponse(ctx); // the next request needs a new connection
  }
}

async function nextChunk(
  iterator: NodeJS.AsyncIterator<Uint8Array>,
  deadline: number,
): Promise<IteratorResult<Uint8Array, unknown>> {
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  const error = new ApiError('invalid_request', 'The request body did not arrive in time.');
  const timer = setTimeout(() => reject(error), Math.max(0, Math.min(STALL_TIMEOUT_MS, deadline - performance.now())));
  try {
    return await Promise.race([iterator.next(), timedOut]);
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    throw new ApiError('invalid_request', 'The request body was incomplete.', { cause });
  } finally {
    clearTimeout(timer);
  }
}
