/**
 * WAL position of a server, in bytes. Each call returns a position read after the call started.
 * Concurrent calls share queries, and only one query runs at a time.
 */
export class WalPosition {
  readonly #query: () => Promise<number>;
  #pending: Promise<number> | undefined;
  #next: Promise<number> | undefined;

  constructor(query: () => Promise<number>) {
    this.#query = query;
  }

  /** @throws Error if the server does not respond */
  current(): Promise<number> {
    if (this.#pending === undefined) return this.#start();
    // The server may have run the pending query before this call, so this call needs the next query.
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
