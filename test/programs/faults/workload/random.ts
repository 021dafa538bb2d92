/** Pseudo-random numbers that a seed determines. */
export interface SeededRandom {
  /** A number from 0 inclusive to 1 exclusive. */
  next(): number;
  /** An integer from 0 inclusive to `below` exclusive. */
  integerBelow(below: number): number;
  pick<T>(values: readonly T[]): T;
}

/** The Mulberry32 generator. Its quality suffices for test data. */
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
    pick<T>(values: readonly T[]): T {
      if (values.length === 0) throw new Error('pick: expected at least one value');
      return values[below(values.length)] as T;
    },
  };
}
