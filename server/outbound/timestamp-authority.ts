import type { TimestampAuthority } from '../../procedures/core/signing.ts';

/** Maximum duration of a request in milliseconds. */
const TIMEOUT_MS = 15_000;
const MAX_RESPONSE_BYTES = 64 * 1024;

/** No valid time stamp. The message is for people: it is the reason of a failed proof. */
class TimestampError extends Error {
  constructor(reason: string, cause?: unknown) {
    super(`time stamp: ${reason}`, { cause });
  }
}

/**
 * Creates a client of a time-stamp authority (RFC 3161) over HTTP. It does not know whom the installation trusts: whoever checks a
 * time stamp chooses the authorities (`openssl ts -verify -CAfile`).
 */
export function createTimestampAuthority(url: string, timeoutMs = TIMEOUT_MS): TimestampAuthority {
  return {
    request: async (sha256) => {
      // Loaded here, because the start does not need the modules of ASN.1.
      const { newNonce, timestampError, timestampRequest } = await import('./timestamp.ts');
      const nonce = newNonce();
      const response = await post(url, timestampRequest(sha256, nonce), timeoutMs);
      const reason = await timestampError(response, sha256, nonce);
      if (reason !== undefined) throw new TimestampError(reason);
      return response;
    },
  };
}

/** @throws TimestampError */
async function post(url: string, body: ArrayBuffer, timeoutMs: number): Promise<Buffer> {
  const headers = { 'Content-Type': 'application/timestamp-query', Accept: 'application/timestamp-reply' };
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'error', signal });
    if (!response.ok) throw new TimestampError(`the server responded ${response.status}`);
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes > MAX_RESPONSE_BYTES)
        throw new TimestampError(`the response has more than ${MAX_RESPONSE_BYTES} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    if (error instanceof TimestampError) throw error;
    const reason = signal.aborted ? `no response within ${timeoutMs / 1000} s` : 'no response from the server';
    throw new TimestampError(reason, error);
  }
}
