import { Refusal } from '../refusal.ts';

/** Milliseconds between two looks for who has waited too long; none while nobody waits. */
const LOOK = 50;

// Made once: under load a refusal must stay cheap, and a stack for each of them is not.
const FULL = new Refusal('unavailable', 'Too many requests wait for the database. Try again shortly.');
/** Why there is none for who has waited for as long as it may. */
export const LATE = new Refusal('unavailable', 'The database is busy. Try again shortly.');

interface Waiting {
  writes: boolean;
  since: number;
  until: number;
  enter: (refusal?: Refusal) => void;
}

/**
 * Lets so many in at once, and fewer who write: whoever waits for a lock keeps its place meanwhile, and readers, who wait for
 * none, must find one. The others wait in the order of their coming, so many and so long at most; then they are refused.
 */
export class Gate {
  readonly #places: number;
  readonly #placesToWrite: number;
  readonly #most: number;
  #inside = 0;
  #writing = 0;
  #queue: Waiting[] = [];
  #clock: NodeJS.Timeout | undefined;

  /** @param most who may wait */
  constructor(places: number, placesToWrite: number, most: number) {
    this.#places = places;
    this.#placesToWrite = placesToWrite;
    this.#most = most;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** Milliseconds for which the first of those that read, or that write, has waited for its place. */
  waited(writes: boolean): number {
    const first = this.#queue.find((waiting) => waiting.writes === writes);
    return first === undefined ? 0 : performance.now() - first.since;
  }

  /**
   * Calls back with nothing once there is a place, which `leave` gives up, or with why there is none: at once where too many
   * wait.
   * @param until by `performance.now()`
   */
  enter(writes: boolean, until: number, enter: Waiting['enter']): void {
    if (this.#hasPlace(writes)) this.#admit(writes, enter);
    else if (this.#queue.length >= this.#most) enter(FULL);
    else {
      this.#queue.push({ writes, since: performance.now(), until, enter });
      this.#clock ??= setInterval(() => this.#refuseLate(), LOOK).unref();
    }
  }

  leave(writes: boolean): void {
    this.#inside -= 1;
    if (writes) this.#writing -= 1;
    const next = this.#queue.findIndex((waiting) => this.#hasPlace(waiting.writes));
    if (next < 0) return;
    const [waiting] = this.#queue.splice(next, 1);
    if (waiting !== undefined) this.#admit(waiting.writes, waiting.enter);
  }

  #hasPlace(writes: boolean): boolean {
    return this.#inside < this.#places && (!writes || this.#writing < this.#placesToWrite);
  }

  #admit(writes: boolean, enter: Waiting['enter']): void {
    this.#inside += 1;
    if (writes) this.#writing += 1;
    enter();
  }

  #refuseLate(): void {
    const now = performance.now();
    const late = this.#queue.filter(({ until }) => until <= now);
    if (late.length > 0) this.#queue = this.#queue.filter(({ until }) => until > now);
    for (const { enter } of late) enter(LATE);
    if (this.#queue.length > 0) return;
    clearInterval(this.#clock);
    this.#clock = undefined;
  }
}
