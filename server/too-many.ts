import { Refusal } from '../entities/refusal.ts';

/** The error for too many requests. @param wait milliseconds until more are accepted */
export function tooMany(message: string, wait: number): Refusal {
  const retryAfter = secondsOf(wait);
  return new Refusal('rate_limited', `${message} Try again in ${retryAfter} s.`, { retryAfter });
}

/** Milliseconds in whole seconds, rounded up, at least one. */
export const secondsOf = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000));
