import { ApiError } from '../../entities/api-error.ts';

/**
 * Creates 429 errors with one message. Each is created once for a number of seconds and then shared: rejections must stay
 * cheap, and capturing a stack for each would be expensive.
 * @returns a function of the milliseconds until the next request is accepted
 */
export function rateLimitErrors(message: string): (waitMs: number) => ApiError {
  const errors = new Map<number, ApiError>();
  return (waitMs) => {
    const retryAfter = toWholeSeconds(waitMs);
    const existing = errors.get(retryAfter);
    if (existing !== undefined) return existing;
    const error = new ApiError('rate_limited', `${message} Try again in ${retryAfter} s.`, { retryAfter });
    errors.set(retryAfter, error);
    return error;
  };
}

/** Converts milliseconds to seconds, rounded up, at least 1. */
export const toWholeSeconds = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000));
