import { findApiKeyByHash, toCachedKey } from '../../entities/api-key/statements.ts';
import type { CachedApiKey } from '../../entities/api-key/statements.ts';
import type { StatementRunner } from '../statement-runner.ts';

/**
 * Lifetime of a cache entry, counted from before its query. Other processes announce key changes at once.
 * If a notification is lost, the lifetime keeps the delay below the second that docs/api-keys.md allows.
 */
export const CACHE_TTL_MS = 800;
/** Maximum number of entries and of their bytes. Beyond one of them, the oldest entries are removed. */
const MAX_CACHED = { keys: 10_000, bytes: 16 * 1024 * 1024 };
/** Estimated bytes of an entry, and of each framework and each address range in it. */
const BYTES = { entry: 1024, framework: 8, cidr: 80 };

interface CacheEntry {
  key: CachedApiKey;
  fetchedAt: number;
  /** Generation of the cache when the query started. */
  generation: number;
}

/** Caches API keys by hash in this process, so that a busy key costs no query. */
export class ApiKeyCache {
  readonly #runner: StatementRunner;
  readonly #lookupTimeoutMs: number;
  readonly #entries = new Map<string, CacheEntry>();
  #generation = 0;
  #bytes = 0;

  /** @param lookupTimeoutMs maximum number of milliseconds of a query */
  constructor(runner: StatementRunner, lookupTimeoutMs: number) {
    this.#runner = runner;
    this.#lookupTimeoutMs = lookupTimeoutMs;
  }

  /**
   * Finds a key by its hash. A missing key is not cached.
   * @param hash SHA-256 in hexadecimal digits
   */
  async find(hash: string): Promise<CachedApiKey | undefined> {
    const cached = this.#entries.get(hash);
    const fetchedAt = performance.now();
    const generation = this.#generation;
    if (cached?.generation === generation && fetchedAt - cached.fetchedAt < CACHE_TTL_MS) return cached.key;
    const [row] = await this.#runner.run(
      findApiKeyByHash,
      { hash: Buffer.from(hash, 'hex') },
      {},
      fetchedAt + this.#lookupTimeoutMs,
    );
    this.#remove(hash);
    if (row === undefined) return undefined;
    const key = toCachedKey(row);
    // A change during the query leaves the entry in an old generation, so the next call queries again.
    this.#store(hash, { key, fetchedAt, generation });
    return key;
  }

  /** Company of a key that the last query for this hash found, even if the entry has expired. */
  companyOf(hash: string): number | undefined {
    return this.#entries.get(hash)?.key.principal.company;
  }

  /** True if the last query for this hash found a key, even if the entry has expired. */
  hasSeen(hash: string): boolean {
    return this.#entries.has(hash);
  }

  /** Expires all entries. Changes are rare and queries are cheap, so entries are not expired one by one. */
  invalidate(): void {
    this.#generation += 1;
  }

  /** Number of entries and their estimated bytes. */
  get size(): { keys: number; bytes: number } {
    return { keys: this.#entries.size, bytes: this.#bytes };
  }

  #store(hash: string, entry: CacheEntry): void {
    this.#remove(hash);
    this.#entries.set(hash, entry);
    this.#bytes += bytesOf(entry);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= MAX_CACHED.keys && this.#bytes <= MAX_CACHED.bytes) break;
      this.#remove(oldest);
    }
  }

  #remove(hash: string): void {
    const entry = this.#entries.get(hash);
    if (entry === undefined) return;
    this.#entries.delete(hash);
    this.#bytes -= bytesOf(entry);
  }
}

const bytesOf = ({ key: { principal } }: CacheEntry): number =>
  BYTES.entry + (principal.frameworks?.length ?? 0) * BYTES.framework + (principal.cidrs?.length ?? 0) * BYTES.cidr;
