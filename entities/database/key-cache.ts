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
  /** How often everything had been forgotten when it was asked for. */
  forgotten: number;
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
    const forgotten = this.#forgotten;
    if (known?.forgotten === forgotten && since - known.since < FRESH) return known.key;
    const [row] = await this.#database.run(keyByHash, { hash: Buffer.from(hash, 'hex') }, {}, since + TIMEOUTS.key);
    this.#known.delete(hash);
    if (row === undefined) return undefined;
    const key = toKnownKey(row);
    // What was read before a change was told of may be what was before it: it is asked for again.
    this.#remember(hash, { key, since, forgotten });
    return key;
  }

  /** Whether there was a key with this hash when it was last asked for, be it long ago. */
  has(hash: string): boolean {
    return this.#known.has(hash);
  }

  /** Has every key asked for again: changes are rare, and asking is cheap. */
  forget(): void {
    this.#forgotten += 1;
  }

  #remember(hash: string, known: Known): void {
    const [longest] = this.#known.keys();
    if (this.#known.size >= MOST && longest !== undefined) this.#known.delete(longest);
    this.#known.set(hash, known);
  }
}
