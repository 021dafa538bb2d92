/**
 * How far a server has come, in bytes of the log. Whoever asks is told of a moment after they asked, and all who wait are told
 * at once: one question is on its way at a time, however many requests there are.
 */
export class WalPosition {
  readonly #query: () => Promise<number>;
  #pending: Promise<number> | undefined;
  #next: Promise<number> | undefined;

  constructor(query: () => Promise<number>) {
    this.#query = query;
  }

  /** @throws Error where nobody answers */
  current(): Promise<number> {
    if (this.#pending === undefined) return this.#start();
    // The question that is on its way may have been answered before this one was put.
    this.#next ??= this.#pending.then(
      () => this.#start(),
      () => this.#start(),
    );
    return this.#next;
  }

  #start(): Promise<number> {
    this.#next = undefined;
    const pending = this.#query().finally(() => {
      if (this.#pending === pending) this.#pending = undefined;
    });
    this.#pending = pending;
    return pending;
  }
}
