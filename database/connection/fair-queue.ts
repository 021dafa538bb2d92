/** Who waits: a company, or undefined for what belongs to none or to several. */
export type Company = number | undefined;

/**
 * Queue in which companies take turns. The items of a company keep their order, so a company that sends many waits behind itself, and
 * another one behind one item of each company.
 */
export class FairQueue<Item> {
  /** Items by company. The companies are in the order of their next turns; a company without items has no entry. */
  readonly #items = new Map<Company, Item[]>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(company: Company, item: Item): void {
    const items = this.#items.get(company);
    if (items === undefined) this.#items.set(company, [item]);
    else items.push(item);
    this.#length += 1;
  }

  /** Removes the first item that is ready, of the company whose turn is next. Then it is the turn of all others. */
  take(isReady: (item: Item, company: Company) => boolean = () => true): Item | undefined {
    for (const [company, items] of this.#items) {
      const index = items.findIndex((item) => isReady(item, company));
      const [item] = index < 0 ? [] : items.splice(index, 1);
      if (item === undefined) continue;
      this.#length -= 1;
      this.#items.delete(company);
      if (items.length > 0) this.#items.set(company, items);
      return item;
    }
    return undefined;
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
