import { findApiKeyByHash, toCachedKey } from '../entities/statements/api-key.ts';
import type { CachedApiKey } from '../entities/statements/api-key.ts';
import type { Database } from './database.ts';
import { TIMEOUTS_MS } from './timeouts.ts';

/**
 * Milliseconds for which a key is known without asking, counted from before it was asked for. Other processes tell of
 * a change at once; where that is lost, this bounds it: less than the second that the contract gives. Section 5.
 */
const CACHE_TTL_MS = 800;
/** Keys remembered; the longest known goes first. */
const MAX_CACHED_KEYS = 10_000;

interface CacheEntry {
  key: CachedApiKey;
  fetchedAt: number;
  /** How often everything had been forgotten when it was asked for. */
  generation: number;
}

/** What this process remembers of API keys, so that a busy key costs no look-up. */
export class ApiKeyCache {
  readonly #database: Database;
  readonly #entries = new Map<string, CacheEntry>();
  #generation = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The key with this hash, in hexadecimal digits; undefined, which is never remembered, when there is none. */
  async find(hash: string): Promise<CachedApiKey | undefined> {
    const cached = this.#entries.get(hash);
    const fetchedAt = performance.now();
    const generation = this.#generation;
    if (cached?.generation === generation && fetchedAt - cached.fetchedAt < CACHE_TTL_MS) return cached.key;
    const [row] = await this.#database.run(
      findApiKeyByHash,
      { hash: Buffer.from(hash, 'hex') },
      {},
      fetchedAt + TIMEOUTS_MS.apiKeyLookup,
    );
    this.#entries.delete(hash);
    if (row === undefined) return undefined;
    const key = toCachedKey(row);
    // What was read before a change was told of may be what was before it: it is asked for again.
    this.#store(hash, { key, fetchedAt, generation });
    return key;
  }

  /** Whether there was a key with this hash when it was last asked for, be it long ago. */
  hasSeen(hash: string): boolean {
    return this.#entries.has(hash);
  }

  /** Has every key asked for again: changes are rare, and asking is cheap. */
  invalidate(): void {
    this.#generation += 1;
  }

  #store(hash: string, entry: CacheEntry): void {
    const [oldest] = this.#entries.keys();
    if (this.#entries.size >= MAX_CACHED_KEYS && oldest !== undefined) this.#entries.delete(oldest);
    this.#entries.set(hash, entry);
  }
}
