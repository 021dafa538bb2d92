/** Who waits: a company, or undefined for what belongs to none or to several. */
export type Company = number | undefined;

/**
 * Queue in which companies take turns. The items of a company keep their order, so a company that sends many waits behind itself, and
 * another one behind one item of each company. If items are charged with the time that they took, the company that has used least time is
 * next, so the turns of a company with short items follow each other. A company saves no time up while it has no items.
 * https://en.wikipedia.org/wiki/Fair_queuing
 */
export class FairQueue<Item> {
  /** Items by company. The companies are in the order of their next turns; a company without items has no entry. */
  readonly #items = new Map<Company, Item[]>();
  #length = 0;
  /** Time that companies have used, if it is more than that of the company that had its turn last. */
  readonly #used = new Map<Company, number>();
  /** Time that the company whose turn was last had used. A company that has used less starts from there. */
  #start = 0;

  get length(): number {
    return this.#length;
  }

  push(company: Company, item: Item): void {
    const items = this.#items.get(company);
    if (items === undefined) this.#items.set(company, [item]);
    else items.push(item);
    this.#length += 1;
  }

  /** Removes the first item that is ready, of the company whose turn is next. Then it is the turn of all others that used as much. */
  take(isReady: (item: Item) => boolean = () => true): Item | undefined {
    let next: { company: Company; items: Item[]; index: number; used: number } | undefined;
    for (const [company, items] of this.#items) {
      const used = this.#usedBy(company);
      if (next !== undefined && next.used <= used) continue;
      const index = items.findIndex((item) => isReady(item));
      if (index >= 0) next = { company, items, index, used };
    }
    if (next === undefined) return undefined;
    const { company, items, index, used } = next;
    const [item] = items.splice(index, 1);
    this.#length -= 1;
    this.#items.delete(company);
    if (items.length > 0) this.#items.set(company, items);
    this.#start = used;
    return item;
  }

  /** Adds to the time that a company has used. It is forgotten when nothing waits. */
  charge(company: Company, milliseconds: number): void {
    if (this.#length === 0) {
      this.#used.clear();
      this.#start = 0;
      return;
    }
    this.#used.set(company, this.#usedBy(company) + milliseconds);
    for (const [other, used] of this.#used) if (used <= this.#start) this.#used.delete(other);
  }

  #usedBy(company: Company): number {
    return Math.max(this.#start, this.#used.get(company) ?? 0);
  }

  /** Removes the newest item of the company that has most, if it has more than `company` would have with another one. */
  dropForOther(company: Company): Item | undefined {
    let longest: Item[] = [];
    for (const items of this.#items.values()) if (items.length > longest.length) longest = items;
    if (longest.length <= (this.#items.get(company)?.length ?? 0) + 1) return undefined;
    this.#length -= 1;
    return longest.pop(); // at least one is left
  }

  /** Removes all items for which `isExpired` returns true. */
  removeExpired(isExpired: (item: Item) => boolean): Item[] {
    const removed: Item[] = [];
    for (const [company, items] of this.#items) {
      const kept = items.filter((item) => !isExpired(item));
      if (kept.length === items.length) continue;
      removed.push(...items.filter((item) => isExpired(item)));
      this.#length -= items.length - kept.length;
      if (kept.length === 0) this.#items.delete(company);
      else this.#items.set(company, kept);
    }
    return removed;
  }

  *[Symbol.iterator](): Generator<Item> {
    for (const items of this.#items.values()) yield* items;
  }
}
