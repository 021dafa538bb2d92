import { Refusal } from '../entities/refusal.ts';

/**
 * Refusals with one message for every wait in milliseconds, told in whole seconds, at least one.
 * Each is made once: a refusal must stay cheap, and a stack for each of them is not.
 */
export function tooMany(message: string): (wait: number) => Refusal {
  const made = new Map<number, Refusal>();
  return (wait) => {
    const retryAfter = secondsOf(wait);
    const known = made.get(retryAfter);
    if (known !== undefined) return known;
    const refusal = new Refusal('rate_limited', `${message} Try again in ${retryAfter} s.`, { retryAfter });
    made.set(retryAfter, refusal);
    return refusal;
  };
}

/** Whole seconds that are no shorter than so many milliseconds, at least one. */
export const secondsOf = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000));
