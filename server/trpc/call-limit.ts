/** Runs the calls of one batch in their order, at most some of them at a time. */
export class CallLimit {
  readonly #max: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  readonly run = async <T>(call: () => Promise<T>): Promise<T> => {
    await this.#enter();
    try {
      return await call();
    } finally {
      this.#leave();
    }
  };

  /** Runs a part of a call that only waits. Meanwhile another call may run. */
  async whileIdle<T>(work: () => Promise<T>): Promise<T> {
    this.#leave();
    try {
      return await work();
    } finally {
      await this.#enter();
    }
  }

  #enter(): Promise<void> | undefined {
    if (this.#running < this.#max) {
      this.#running += 1;
      return undefined;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    return promise;
  }

  /** Passes the turn on to the next call, after other requests: otherwise calls that all fail would wait for nothing else. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running -= 1;
    else setImmediate(next);
  }
}
