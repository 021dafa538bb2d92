/** Milliseconds over which the speed is averaged. */
const PERIOD_MS = 5000;
const MIN_MS = 300;

/** The speed of an upload in the last seconds. */
export class Speed {
  #samples: { at: number; sent: number }[] = [];

  /** @returns bytes per second; undefined until it is known */
  add(sent: number, at = performance.now()): number | undefined {
    this.#samples = [...this.#samples.filter((sample) => at - sample.at < PERIOD_MS), { at, sent }];
    const [first] = this.#samples;
    if (first === undefined || at - first.at < MIN_MS) return undefined;
    return ((sent - first.sent) / (at - first.at)) * 1000;
  }
}
