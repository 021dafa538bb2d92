/** A value that is read again only when it is older than some seconds. */
export class Recent<Value> {
  readonly #maxAgeMs: number;
  #value: Promise<Value> | undefined;
  #until = -Infinity;

  constructor(maxAgeSeconds: number) {
    this.#maxAgeMs = maxAgeSeconds * 1000;
  }

  /** Returns the value, which concurrent callers share. An error is not kept. */
  get(read: () => Promise<Value>): Promise<Value> {
    if (this.#value !== undefined && performance.now() < this.#until) return this.#value;
    const value = read();
    this.#value = value;
    this.#until = performance.now() + this.#maxAgeMs;
    value.catch(() => {
      if (this.#value === value) this.#value = undefined;
    });
    return value;
  }
}
