import { setTimeout as wait } from 'node:timers/promises';
import { ApiError } from '../entities/api-error.ts';
import type { QueryOptions } from './connection/connection-pool.ts';
import { asApiError, isConnectionLost, isSerializationConflict } from './errors.ts';
import { TIMEOUTS_MS } from './timeouts.ts';

const MAX_ATTEMPTS = 3;

/** Each failed attempt means that a concurrent change succeeded, so only a heavily contended row reaches the limit. */
const MAX_OPTIMISTIC_ATTEMPTS = 200;

/** Deadline of a request that starts now, as a value of `performance.now()`. */
export const requestDeadline = () => performance.now() + TIMEOUTS_MS.request;

/**
 * Retries serialization failures and deadlocks, and lost connections for reads.
 * @throws ApiError 503 if the database is unavailable
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

/**
 * Retries a read-modify-write change while concurrent changes win. No change is lost, and no lock is held during a round trip.
 * @param attempt returns the result, or undefined if the version of the row has changed since it was read
 */
export async function retryOnConflict<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let attemptNumber = 0; attemptNumber < MAX_OPTIMISTIC_ATTEMPTS; attemptNumber++) {
    const result = await attempt();
    if (result !== undefined) return result;
  }
  throw new ApiError('unavailable', 'Too many concurrent changes of this resource. Try again shortly.');
}

/** Caches the result of a function without arguments. After an error the next call runs it again. */
export function onceSuccessful<T>(run: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= run().catch((error: unknown) => {
      result = undefined;
      throw error;
    });
    return result;
  };
}
