/**
 * How far a server has come, in bytes of the log. Whoever asks is told of a moment after they asked, and all who wait are told
 * at once: one question is on its way at a time, however many requests there are.
 */
export class Position {
  readonly #ask: () => Promise<number>;
  #asking: Promise<number> | undefined;
  #next: Promise<number> | undefined;

  constructor(ask: () => Promise<number>) {
    this.#ask = ask;
  }

  /** @throws Error where nobody answers */
  now(): Promise<number> {
    if (this.#asking === undefined) return this.#begin();
    // The question that is on its way may have been answered before this one was put.
    this.#next ??= this.#asking.then(
      () => this.#begin(),
      () => this.#begin(),
    );
    return this.#next;
  }

  #begin(): Promise<number> {
    this.#next = undefined;
    const asking = this.#ask().finally(() => {
      if (this.#asking === asking) this.#asking = undefined;
    });
    this.#asking = asking;
    return asking;
  }
}
