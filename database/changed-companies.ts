import type { SessionValues, Statement } from '../entities/statements/define-statement.ts';

/** Companies with committed writes of this process whose audit events nobody has taken for sealing yet. */
export class ChangedCompanies {
  readonly #ids = new Set<number>();
  #next = Promise.withResolvers<void>();

  /** Adds a company. Call it after the commit, because an event of a running transaction cannot be sealed. */
  add(company: number): void {
    this.#ids.add(company);
    if (this.#ids.size === 1) this.#next.resolve();
  }

  /** Adds the company of a statement that may have written audit events. */
  addWrite(
    { readOnly, isBookkeeping }: Pick<Statement<never, never>, 'readOnly' | 'isBookkeeping'>,
    { company }: SessionValues,
  ): void {
    if (readOnly !== true && isBookkeeping !== true && typeof company === 'number') this.add(company);
  }

  /** Returns the companies and removes them. */
  take(): number[] {
    const ids = [...this.#ids];
    this.#ids.clear();
    this.#next = Promise.withResolvers();
    return ids;
  }

  /** Resolves when there is a company. */
  next(): Promise<void> {
    return this.#next.promise;
  }
}
