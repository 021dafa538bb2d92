import { ApiError } from '../../entities/api-error.ts';

/** Creates a 429 error. @param waitMs time until the next request is accepted */
export function rateLimitError(message: string, waitMs: number): ApiError {
  const retryAfter = toWholeSeconds(waitMs);
  return new ApiError('rate_limited', `${message} Try again in ${retryAfter} s.`, { retryAfter });
}

/** Converts milliseconds to seconds, rounded up, at least 1. */
export const toWholeSeconds = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000));
