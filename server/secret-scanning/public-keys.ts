import { createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { z } from 'zod';

/** Milliseconds that a list stays good; that pass before it is asked for again all the same; and after a failure. */
const CACHE_TTL_MS = 60 * 60_000;
const MIN_REFRESH_INTERVAL_MS = 60_000;
const RETRY_DELAY_MS = 10_000;
const TIMEOUT_MS = 5000;
const MAX_LIST_BYTES = 64 * 1024;

const PublicKeyList = z.object({
  public_keys: z.array(z.object({ key_identifier: z.string().min(1), key: z.string() })),
});

/** The list cannot be had now; worth another try in so many seconds. */
export class PublicKeysUnavailableError extends Error {
  readonly retryAfter: number;

  constructor(milliseconds: number, cause: unknown) {
    super('the public keys cannot be fetched', { cause });
    this.retryAfter = Math.ceil(milliseconds / 1000);
  }
}

/**
 * The public keys that a scanner for leaked secrets signs its reports with, as it publishes them. The list is kept for
 * an hour; an identifier that is not on it makes us look again, but once a minute at most, whoever makes them up.
 */
export class PublicKeyCache {
  readonly #url: string;
  readonly #now: () => number;
  #keys = new Map<string, KeyObject>();
  #fetchedAt = -Infinity;
  #lastError: { at: number; cause: unknown } | undefined;
  #fetching: Promise<void> | undefined;

  /** @param now a clock in milliseconds that never goes back */
  constructor(url: string, now: () => number = () => performance.now()) {
    this.#url = url;
    this.#now = now;
  }

  /** The key with this identifier, if there is one. @throws KeysUnavailable when that cannot be known */
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

/** What the address itself answers: a redirect could lead to anybody. */
async function fetchList(url: string): Promise<unknown> {
  const headers = { Accept: 'application/json', 'User-Agent': 'compliance-api' };
  const response = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new Error(`the list of public keys was answered with ${response.status}`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_LIST_BYTES) throw new Error(`the list of public keys is larger than ${MAX_LIST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString());
}

/** The keys of a list that can sign reports; others, of kinds to come, are no reason to do without these. */
function parseKeyList(list: unknown): Map<string, KeyObject> {
  const keys = new Map<string, KeyObject>();
  for (const { key_identifier, key } of PublicKeyList.parse(list).public_keys) {
    const parsed = parseSigningKey(key);
    if (parsed !== undefined) keys.set(key_identifier, parsed);
  }
  if (keys.size === 0) throw new Error('the list of public keys holds none on the curve P-256');
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
