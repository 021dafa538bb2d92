import { ApiError } from '../../entities/api-error.ts';

/** The error for too many requests. @param waitMs milliseconds until more are accepted */
export function rateLimitError(message: string, waitMs: number): ApiError {
  const retryAfter = toWholeSeconds(waitMs);
  return new ApiError('rate_limited', `${message} Try again in ${retryAfter} s.`, { retryAfter });
}

/** Milliseconds in whole seconds, rounded up, at least one. */
export const toWholeSeconds = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000));
