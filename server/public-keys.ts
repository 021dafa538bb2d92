import { createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { z } from 'zod';

/** Milliseconds that a list stays good; that pass before it is asked for again all the same; and after a failure. */
const FRESH = 60 * 60_000;
const PAUSE = 60_000;
const PAUSE_AFTER_FAILURE = 10_000;
const TIMEOUT = 5000;
const LIST_BYTES = 64 * 1024;

const List = z.object({ public_keys: z.array(z.object({ key_identifier: z.string().min(1), key: z.string() })) });

/** The list cannot be had now; worth another try in so many seconds. */
export class KeysUnavailable extends Error {
  readonly retrySeconds: number;

  constructor(milliseconds: number, cause: unknown) {
    super('the public keys cannot be fetched', { cause });
    this.retrySeconds = Math.ceil(milliseconds / 1000);
  }
}

/**
 * The public keys that a scanner for leaked secrets signs its reports with, as it publishes them. The list is kept for
 * an hour; an identifier that is not on it makes us look again, but once a minute at most, whoever makes them up.
 */
export class PublicKeys {
  readonly #url: string;
  readonly #now: () => number;
  #keys = new Map<string, KeyObject>();
  #fetchedAt = -Infinity;
  #failure: { at: number; cause: unknown } | undefined;
  #fetching: Promise<void> | undefined;

  /** @param now a clock in milliseconds that never goes back */
  constructor(url: string, now: () => number = () => performance.now()) {
    this.#url = url;
    this.#now = now;
  }

  /** The key with this identifier, if there is one. @throws KeysUnavailable when that cannot be known */
  async find(identifier: string): Promise<KeyObject | undefined> {
    const age = this.#now() - this.#fetchedAt;
    const key = age < FRESH ? this.#keys.get(identifier) : undefined;
    if (key !== undefined) return key;
    if (this.#failure !== undefined) {
      const left = this.#failure.at + PAUSE_AFTER_FAILURE - this.#now();
      if (left > 0) throw new KeysUnavailable(left, this.#failure.cause);
    } else if (age < PAUSE) {
      return undefined;
    }
    this.#fetching ??= this.#refresh().finally(() => (this.#fetching = undefined));
    await this.#fetching;
    return this.#keys.get(identifier);
  }

  async #refresh(): Promise<void> {
    try {
      this.#keys = keysOf(await fetchList(this.#url));
      this.#fetchedAt = this.#now();
      this.#failure = undefined;
    } catch (cause) {
      this.#failure = { at: this.#now(), cause };
      throw new KeysUnavailable(PAUSE_AFTER_FAILURE, cause);
    }
  }
}

/** What the address itself answers: a redirect could lead to anybody. */
async function fetchList(url: string): Promise<unknown> {
  const headers = { Accept: 'application/json', 'User-Agent': 'compliance-api' };
  const response = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT) });
  if (!response.ok) throw new Error(`the list of public keys was answered with ${response.status}`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > LIST_BYTES) throw new Error(`the list of public keys is larger than ${LIST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString());
}

/** The keys of a list that can sign reports; others, of kinds to come, are no reason to do without these. */
function keysOf(list: unknown): Map<string, KeyObject> {
  const keys = new Map<string, KeyObject>();
  for (const { key_identifier, key } of List.parse(list).public_keys) {
    const parsed = publicKeyOf(key);
    if (parsed !== undefined) keys.set(key_identifier, parsed);
  }
  if (keys.size === 0) throw new Error('the list of public keys holds none on the curve P-256');
  return keys;
}

function publicKeyOf(pem: string): KeyObject | undefined {
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined;
  } catch {
    return undefined;
  }
}
