import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { ApiError } from '../../entities/api-error.ts';
import type { SendRequest } from '../../procedures/webhook/sender.ts';
import { ForbiddenUrlError, RequestGuard, hostOf, InvalidResponseError } from './guarded-request.ts';
import type { Resolve } from './resolve-name.ts';

/** Maximum duration of an attempt: name resolution, connection, TLS and response. */
const ATTEMPT_TIMEOUT_MS = 15_000;
/** Maximum duration of the name resolution for a new URL. */
const LOOKUP_TIMEOUT_MS = 3000;
/** Time for which a URL stays accepted: a request checks it before its transaction and again within it. */
const ACCEPTED_MS = 5000;
/** Maximum number of accepted URLs. Beyond it a URL is checked twice. */
const MAX_ACCEPTED = 1000;
/** Bytes of a response after which its connection is closed. */
const MAX_RESPONSE_BYTES = 64 * 1024;

/** Sends requests to webhook endpoints. Contract, section 14. */
export interface WebhookClient {
  /**
   * Sends one attempt. A redirect is not followed. The status counts as soon as it has arrived, even if the body is
   * too long, too slow or incomplete.
   * @throws DeliveryError if there is no response; the reason of `signal` if the caller aborted the attempt
   */
  send: SendRequest;
  /**
   * Checks a URL before it is stored. A name that does not resolve in time is accepted, because each attempt checks it too.
   * @param url a URL that `urlInput` accepts
   * @throws ApiError 422 if the URL is not https, or one of its addresses is not public
   */
  requirePublicUrl(this: void, field: string, url: string): Promise<void>;
}

interface ClientOptions {
  timeoutMs?: number;
  lookupTimeoutMs?: number;
  /** Name resolution; by default that of the system. */
  resolve?: Resolve;
}

/** No response to an attempt. The message is for the delivery log: at most 200 characters, and no address of the resolution. */
export class DeliveryError extends Error {}

/** Messages by the code of the error: https://nodejs.org/api/errors.html, https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const MESSAGES: Readonly<Record<string, string>> = {
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'host not found',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed',
  EPIPE: 'connection closed',
  ETIMEDOUT: 'connection timed out',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'host unreachable',
  EPROTO: 'no TLS connection',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate: self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate: unknown authority',
  UNABLE_TO_GET_ISSUER_CERT: 'certificate: unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate: unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate: incomplete chain',
  CERT_HAS_EXPIRED: 'certificate: expired',
  CERT_NOT_YET_VALID: 'certificate: not yet valid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate: for another host',
};

/** Messages of other codes. */
const PATTERNS: readonly [pattern: RegExp, message: string][] = [
  [/CERT|SIGNATURE|CRL|CHAIN|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH/, 'certificate: invalid'],
  [/^ERR_(?:SSL|TLS)_/, 'no TLS connection'],
  [/^HPE_/, 'no valid HTTP response'],
];

/** Describes the error of a request. */
export function toDeliveryError(cause: unknown): DeliveryError {
  if (cause instanceof ForbiddenUrlError)
    return new DeliveryError(cause.expectation === 'https' ? 'url is not https' : 'address is not public', { cause });
  if (cause instanceof InvalidResponseError) return new DeliveryError('no valid HTTP response', { cause });
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const known = Object.hasOwn(MESSAGES, code) ? MESSAGES[code] : undefined;
  return new DeliveryError(known ?? PATTERNS.find(([pattern]) => pattern.test(code))?.[1] ?? 'no response', { cause });
}

/** @param allowsPrivate true in development: URLs may have any address, also over http */
export function createWebhookClient(allowsPrivate: boolean, options: ClientOptions = {}): WebhookClient {
  const { timeoutMs = ATTEMPT_TIMEOUT_MS, lookupTimeoutMs = LOOKUP_TIMEOUT_MS, resolve } = options;
  const accepted = new Set<string>();
  const guard = new RequestGuard(() => (allowsPrivate ? 'any' : 'public'), resolve);
  return {
    send: async ({ url, signal, ...request }) => {
      // A controller of its own, because Node.js may collect a signal of `AbortSignal.any`.
      const controller = new AbortController();
      const cancel = () => controller.abort(signal.reason);
      const expire = () => controller.abort(new DeliveryError(`no response within ${timeoutMs / 1000} s`));
      const timer = setTimeout(expire, timeoutMs);
      signal.addEventListener('abort', cancel);
      if (signal.aborted) cancel();
      try {
        const response = await guard.send(new URL(url), { ...request, method: 'POST', signal: controller.signal });
        await discardBody(response).catch(() => {});
        const { statusCode: status = 500, headers } = response;
        return { status, retryAfterMs: parseRetryAfter(headers['retry-after']) };
      } catch (error) {
        controller.signal.throwIfAborted();
        throw toDeliveryError(error);
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', cancel);
      }
    },
    requirePublicUrl: async (field, text) => {
      if (allowsPrivate || accepted.has(text)) return;
      try {
        await checkUrl(guard, new URL(text), lookupTimeoutMs);
        if (accepted.size >= MAX_ACCEPTED) return;
        accepted.add(text);
        setTimeout(() => accepted.delete(text), ACCEPTED_MS).unref();
      } catch (error) {
        if (!(error instanceof ForbiddenUrlError)) throw error;
        const expectation = error.expectation === 'https' ? 'an https URL' : 'a host with public addresses only';
        throw new ApiError('unprocessable', `${field}: expected ${expectation}`, { cause: error });
      }
    },
  };
}

/** @throws ForbiddenUrlError */
async function checkUrl(guard: RequestGuard, url: URL, lookupTimeoutMs: number): Promise<void> {
  guard.check(url);
  const host = hostOf(url);
  if (isIP(host) !== 0) return;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, lookupTimeoutMs);
  guard.lookup(host, { all: true }, (error) => {
    if (error instanceof ForbiddenUrlError) reject(error);
    else resolve();
  });
  await promise.finally(() => clearTimeout(timer));
}

/** Reads the body up to its limit. The connection is then closed, as the end of the iteration destroys the stream. */
async function discardBody(response: IncomingMessage): Promise<void> {
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes >= MAX_RESPONSE_BYTES) return;
  }
}

/** Reads `Retry-After`: seconds or an HTTP date. https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3 */
function parseRetryAfter(text = ''): number | undefined {
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER);
  // Other dates than those in GMT would be read in the time zone of this process.
  const time = text.endsWith(' GMT') ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - Date.now());
}
