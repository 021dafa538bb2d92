import { setTimeout as wait } from 'node:timers/promises';
import type { QueryOptions } from './postgresql/connection-pool.ts';
import { asApiError, isConnectionLost, isSerializationConflict } from './errors.ts';
import { TIMEOUTS_MS } from './timeouts.ts';

/** How often a transaction is begun that another was in the way of. */
const MAX_ATTEMPTS = 3;

/** When what begins now must have ended, by `performance.now()`. */
export const requestDeadline = () => performance.now() + TIMEOUTS_MS.request;

/**
 * Begins a transaction again where another was in the way; and where the connection broke, if it only reads.
 * @throws Refusal 503 when the database cannot serve it
 */
export async function retryTransient<T>(attempt: () => Promise<T>, { write, deadline }: QueryOptions): Promise<T> {
  for (let attemptNumber = 1; ; attemptNumber++) {
    try {
      return await attempt();
    } catch (error) {
      const canRetry =
        attemptNumber < MAX_ATTEMPTS && (isSerializationConflict(error) || (!write && isConnectionLost(error)));
      const delayMs = Math.random() * 20 * attemptNumber;
      if (!canRetry || performance.now() + delayMs >= deadline) throw asApiError(error) ?? error;
      await wait(delayMs);
    }
  }
}
