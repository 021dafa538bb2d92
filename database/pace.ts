/** Pause after a round of a loop as a multiple of the duration of the round. */
const IDLE_FACTOR = 20;
/** Maximum number of milliseconds of pauses that a loop saves up while it has nothing to do. */
const MAX_SAVED_MS = 5000;

/**
 * Bounds the load of a background loop to a twentieth of a connection: it pauses twenty times as long as its rounds take.
 * Pauses that it has saved up come first, so that a single slow round delays no later one.
 */
export class Pace {
  #next = 0;

  /** Milliseconds until the next round may start. */
  get pauseMs(): number {
    return Math.max(0, this.#next - performance.now());
  }

  /** Runs a round, and adds its pause. */
  async round<T>(work: () => Promise<T>): Promise<T> {
    const start = performance.now();
    try {
      return await work();
    } finally {
      this.#next = Math.max(this.#next, start - MAX_SAVED_MS) + (IDLE_FACTOR + 1) * (performance.now() - start);
    }
  }
}
