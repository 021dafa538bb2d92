import { keyByHash } from '../statements/api-key.ts';
import type { KeyRow } from '../statements/api-key.ts';
import type { Database } from './database.ts';

/**
 * Milliseconds for which a key is known without asking, counted from before it was asked for. Other processes tell of
 * a change at once; where that is lost, this bounds it: less than the second that the contract gives. Section 5.
 */
const FRESH = 800;
/** Keys remembered; the longest known goes first. */
const MOST = 10_000;

interface Known {
  row: KeyRow;
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

  /** The key with this hash; undefined, which is never remembered, when there is none. */
  async find(hash: Buffer): Promise<KeyRow | undefined> {
    const name = hash.toString('latin1');
    const known = this.#known.get(name);
    const since = performance.now();
    if (known !== undefined && since - known.since < FRESH) return known.row;
    const forgotten = this.#forgotten;
    const [row] = await this.#database.run(keyByHash, { hash }, {});
    this.#known.delete(name);
    // What was read before a change was told of may be what was before it.
    if (row !== undefined && forgotten === this.#forgotten) this.#remember(name, { row, since });
    return row;
  }

  /** Forgets every key: changes are rare, and asking again is cheap. */
  forget(): void {
    this.#forgotten += 1;
    this.#known.clear();
  }

  #remember(name: string, known: Known): void {
    const [longest] = this.#known.keys();
    if (this.#known.size >= MOST && longest !== undefined) this.#known.delete(longest);
    this.#known.set(name, known);
  }
}
