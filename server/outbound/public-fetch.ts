import type { IncomingMessage } from 'node:http';
import { RequestGuard, UnreachableError } from './guarded-request.ts';
import type { GuardedRequest } from './guarded-request.ts';

const MAX_RESPONSE_BYTES = 64 * 1024;

/** The other server sent more than any valid response has. */
class ResponseTooLargeError extends Error {}

/** Sends a request without following redirects. @throws UnreachableError, ResponseTooLargeError */
export type PublicFetch = (url: string, request: GuardedRequest) => Promise<Response>;

/**
 * Creates a `fetch` for URLs that admins choose. It accepts only https and public addresses.
 * @param allowsLoopback true in development: also http, and addresses of this machine
 */
export function createPublicFetch(allowsLoopback: () => boolean): PublicFetch {
  const guard = new RequestGuard(() => (allowsLoopback() ? 'loopback' : 'public'));
  return async (text, request) => {
    const url = new URL(text);
    try {
      const response = await guard.send(url, request);
      return await toResponse(response);
    } catch (cause) {
      if (cause instanceof UnreachableError || cause instanceof ResponseTooLargeError) throw cause;
      throw new UnreachableError(`${url.origin}: no response`, { cause });
    }
  };
}

/** Statuses of responses without a body. https://fetch.spec.whatwg.org/#null-body-status */
const NULL_BODY_STATUSES = new Set([204, 205, 304]);

async function toResponse(response: IncomingMessage): Promise<Response> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_RESPONSE_BYTES)
      throw new ResponseTooLargeError(`response: larger than ${MAX_RESPONSE_BYTES} bytes`);
    chunks.push(chunk);
  }
  const { statusCode: status = 500 } = response;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(response.headersDistinct))
    for (const value of values) headers.append(name, value);
  return new Response(NULL_BODY_STATUSES.has(status) ? null : Buffer.concat(chunks), { status, headers });
}
