/** Numbers that look random and are the same in each run. */
export interface Random {
  /** An integer from `min` to `max`, both included. */
  between: (min: number, max: number) => number;
  /** True with this probability. */
  chance: (probability: number) => boolean;
  pick: <T>(items: readonly [T, ...T[]]) => T;
}

/** A generator of Mulberry32, which has 32 bits of state. @param seed any text */
export function createRandom(seed: string): Random {
  let state = Buffer.from(seed).reduce((sum, byte) => Math.imul(sum ^ byte, 0x01000193), 7);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    between,
    chance: (probability) => next() < probability,
    pick: ([first, ...others]) => {
      const index = between(0, others.length);
      return index === 0 ? first : (others[index - 1] ?? first);
    },
  };
}
