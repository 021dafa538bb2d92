import { createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { z } from 'zod';

/** Time after which the list is fetched again. */
const CACHE_TTL_MS = 60 * 60_000;
/** Minimum time before an unknown identifier causes another fetch. */
const MIN_REFRESH_INTERVAL_MS = 60_000;
/** Delay before the next fetch after an error. */
const RETRY_DELAY_MS = 10_000;
const TIMEOUT_MS = 5000;
const MAX_LIST_BYTES = 64 * 1024;

const PublicKeyList = z.object({
  public_keys: z.array(z.object({ key_identifier: z.string().min(1), key: z.string() })),
});

/** The list of public keys is unavailable. The client may retry after `retryAfter` seconds. */
export class PublicKeysUnavailableError extends Error {
  readonly retryAfter: number;

  constructor(milliseconds: number, cause: unknown) {
    super('public keys: fetch failed', { cause });
    this.retryAfter = Math.ceil(milliseconds / 1000);
  }
}

/**
 * Caches the published public keys with which a secret scanner signs its reports. The list is cached for an hour. An
 * unknown identifier refreshes it at most once a minute, so that invented identifiers cannot cause many fetches.
 */
export class PublicKeyCache {
  readonly #url: string;
  readonly #now: () => number;
  #keys = new Map<string, KeyObject>();
  #fetchedAt = -Infinity;
  #lastError: { at: number; cause: unknown } | undefined;
  #fetching: Promise<void> | undefined;

  /** @param now monotonic clock in milliseconds */
  constructor(url: string, now: () => number = () => performance.now()) {
    this.#url = url;
    this.#now = now;
  }

  /** Finds the key with this identifier. @throws PublicKeysUnavailableError if the list cannot be fetched */
  async find(identifier: string): Promise<KeyObject | undefined> {
    const age = this.#now() - this.#fetchedAt;
    const key = age < CACHE_TTL_MS ? this.#keys.get(identifier) : undefined;
    if (key !== undefined) return key;
    if (this.#lastError !== undefined) {
      const remainingMs = this.#lastError.at + RETRY_DELAY_MS - this.#now();
      if (remainingMs > 0) throw new PublicKeysUnavailableError(remainingMs, this.#lastError.cause);
    } else if (age < MIN_REFRESH_INTERVAL_MS) {
      return undefined;
    }
    this.#fetching ??= this.#refresh().finally(() => (this.#fetching = undefined));
    await this.#fetching;
    return this.#keys.get(identifier);
  }

  async #refresh(): Promise<void> {
    try {
      this.#keys = parseKeyList(await fetchList(this.#url));
      this.#fetchedAt = this.#now();
      this.#lastError = undefined;
    } catch (cause) {
      this.#lastError = { at: this.#now(), cause };
      throw new PublicKeysUnavailableError(RETRY_DELAY_MS, cause);
    }
  }
}

/** Fetches the list. It rejects redirects, which could lead to an untrusted host. */
async function fetchList(url: string): Promise<unknown> {
  const headers = { Accept: 'application/json', 'User-Agent': 'compliance-api' };
  const response = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new Error(`public keys: the response has status ${response.status}`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_LIST_BYTES) throw new Error(`public keys: the list is larger than ${MAX_LIST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString());
}

/** Parses the P-256 keys of a list. Keys of other types are ignored, so that the scanner may add new types. */
function parseKeyList(list: unknown): Map<string, KeyObject> {
  const keys = new Map<string, KeyObject>();
  for (const { key_identifier, key } of PublicKeyList.parse(list).public_keys) {
    const parsed = parseSigningKey(key);
    if (parsed !== undefined) keys.set(key_identifier, parsed);
  }
  if (keys.size === 0) throw new Error('public keys: the list contains no key on the curve P-256');
  return keys;
}

function parseSigningKey(pem: string): KeyObject | undefined {
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined;
  } catch {
    return undefined;
  }
}
