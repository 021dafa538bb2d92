/** Milliseconds after which a wait ends without a notification, which a pooler or a broken connection loses. */
const POLL_INTERVAL_MS = 300;

/** News of seals, whichever process wrote them. Everything that follows the audit log waits here instead of polling at an interval. */
export class Seals {
  #next = Promise.withResolvers<void>();
  #timer: NodeJS.Timeout | undefined;

  /**
   * Resolves when events may have been sealed after the call: at a notification, or after POLL_INTERVAL_MS. Call it before
   * the query for new seals, so that it includes those that the query misses.
   */
  next(): Promise<void> {
    this.#timer ??= setTimeout(() => this.announce(), POLL_INTERVAL_MS).unref();
    return this.#next.promise;
  }

  /** Ends all waits. */
  announce(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }
}
