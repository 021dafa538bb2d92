import { keyByHash, toKnownKey } from '../statements/api-key.ts';
import type { KnownKey } from '../statements/api-key.ts';
import type { Database } from './database.ts';
import { TIMEOUTS } from './timeouts.ts';

/**
 * Milliseconds for which a key is known without asking, counted from before it was asked for. Other processes tell of
 * a change at once; where that is lost, this bounds it: less than the second that the contract gives. Section 5.
 */
const FRESH = 800;
/** Keys remembered; the longest known goes first. */
const MOST = 10_000;

interface Known {
  key: KnownKey;
  since: number;
}

/** What this process remembers of API keys, so that a busy key costs no look-up. */
export class KeyCache {
  readonly #database: Database;
  readonly #known = new Map<string, Known>();
  #forgotten = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The key with this hash, in hexadecimal digits; undefined, which is never remembered, when there is none. */
  async find(hash: string): Promise<KnownKey | undefined> {
    const known = this.#known.get(hash);
    const since = performance.now();
    if (known !== undefined && since - known.since < FRESH) return known.key;
    const forgotten = this.#forgotten;
    const [row] = await this.#database.run(keyByHash, { hash: Buffer.from(hash, 'hex') }, {}, since + TIMEOUTS.key);
    this.#known.delete(hash);
    if (row === undefined) return undefined;
    const key = toKnownKey(row);
    // What was read before a change was told of may be what was before it.
    if (forgotten === this.#forgotten) this.#remember(hash, { key, since });
    return key;
  }

  /** Forgets every key: changes are rare, and asking again is cheap. */
  forget(): void {
    this.#forgotten += 1;
    this.#known.clear();
  }

  #remember(hash: string, known: Known): void {
    const [longest] = this.#known.keys();
    if (this.#known.size >= MOST && longest !== undefined) this.#known.delete(longest);
    this.#known.set(hash, known);
  }
}
