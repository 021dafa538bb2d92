/** Chance that a seed decides: the same seed, the same choices. */
export interface SeededRandom {
  /** A number from 0 to 1, without 1. */
  next(): number;
  /** A whole number from 0 to `below`, without `below`. */
  integerBelow(below: number): number;
  pick<T>(of: readonly T[]): T;
}

/** Mulberry32: small, and good enough to choose by. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    integerBelow: below,
    pick<T>(of: readonly T[]): T {
      if (of.length === 0) throw new Error('nothing to choose from');
      return of[below(of.length)] as T;
    },
  };
}
