/** The cell of each key, by the SHA-256 of the key. */
export class Routes {
  /** Cell to which the router sends the requests of a key. */
  readonly #cells = new Map<string, string>();
  /** Keys that each cell lists. While a company moves, two cells may list its keys for a moment. */
  readonly #listed: Map<string, Set<string>>;
  readonly #changed: () => void;

  constructor(cells: readonly string[], changed: () => void) {
    this.#listed = new Map(cells.map((cell) => [cell, new Set()]));
    this.#changed = changed;
  }

  entries(): ReadonlyMap<string, string> {
    return this.#cells;
  }

  /** A cell lists a key. The cell that said so last has it. */
  add(cell: string, key: string): void {
    this.#keysOf(cell).add(key);
    if (this.#cells.get(key) === cell) return;
    this.#cells.set(key, cell);
    this.#changed();
  }

  /**
   * A cell lists a key no more. That changes the entry only if it points to this cell: after a move it points to another one.
   * @param graceMs the entry stays for so long. Of two cells between which a company moves, the old one may speak first, and it
   *   knows where the company is, whereas the cell of unknown keys would call the key invalid.
   */
  remove(cell: string, key: string, graceMs: number): void {
    if (!this.#keysOf(cell).delete(key) || this.#cells.get(key) !== cell) return;
    const other = [...this.#listed].find(([, keys]) => keys.has(key))?.[0];
    if (other === undefined) setTimeout(() => this.#removeUnlisted(key), graceMs);
    else {
      this.#cells.set(key, other);
      this.#changed();
    }
  }

  /** Removes the keys of a cell that its complete list lacks. */
  keepOnly(cell: string, keys: ReadonlySet<string>, graceMs: number): void {
    for (const key of this.#keysOf(cell).difference(keys)) this.remove(cell, key, graceMs);
  }

  #removeUnlisted(key: string): void {
    if ([...this.#listed.values()].some((keys) => keys.has(key))) return;
    if (this.#cells.delete(key)) this.#changed();
  }

  #keysOf(cell: string): Set<string> {
    const keys = this.#listed.get(cell);
    if (keys === undefined) throw new Error(`${cell}: not a cell`);
    return keys;
  }
}
