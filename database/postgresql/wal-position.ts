/** A position in the WAL of one timeline. */
export interface TimelinePosition {
  /** Bytes from the start of the log. A double represents them exactly up to nine petabytes. */
  bytes: number;
  /** A failover starts a new timeline. Positions of two timelines cannot be compared. */
  timeline: number;
}

/**
 * WAL position of a server. Each call returns a position read after the call started.
 * Concurrent calls share queries, and only one query runs at a time.
 */
export class WalPosition {
  readonly #query: () => Promise<TimelinePosition>;
  #pending: Promise<TimelinePosition> | undefined;
  #next: Promise<TimelinePosition> | undefined;

  constructor(query: () => Promise<TimelinePosition>) {
    this.#query = query;
  }

  /** @throws Error if the server does not respond */
  current(): Promise<TimelinePosition> {
    if (this.#pending === undefined) return this.#start();
    // The server may have run the pending query before this call, so this call needs the next query.
    this.#next ??= this.#pending.then(
      () => this.#start(),
      () => this.#start(),
    );
    return this.#next;
  }

  #start(): Promise<TimelinePosition> {
    this.#next = undefined;
    const pending = this.#query().finally(() => {
      if (this.#pending === pending) this.#pending = undefined;
    });
    this.#pending = pending;
    return pending;
  }
}
