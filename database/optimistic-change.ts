import { ApiError } from '../entities/api-error.ts';

/** Each attempt that fails means that another change succeeded: only a row that everybody writes at once gets here. */
const MAX_ATTEMPTS = 200;

/**
 * Tries a change again for as long as others come between, so that none is lost and no lock is held over a round trip.
 * @param attempt gives what came of the change, or undefined when another came first.
 */
export async function retryOnConflict<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let attemptNumber = 0; attemptNumber < MAX_ATTEMPTS; attemptNumber++) {
    const result = await attempt();
    if (result !== undefined) return result;
  }
  throw new ApiError('unavailable', 'Too many changes of this resource at once. Try again shortly.');
}
