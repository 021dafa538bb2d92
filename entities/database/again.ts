import { setTimeout as wait } from 'node:timers/promises';
import type { Terms } from './connections.ts';
import { asRefusal, isLost, mayRunAgain } from './failure.ts';
import { TIMEOUTS } from './timeouts.ts';

/** How often a transaction is begun that another was in the way of. */
const ATTEMPTS = 3;

/** When what begins now must have ended, by `performance.now()`. */
export const inAll = () => performance.now() + TIMEOUTS.request;

/**
 * Begins a transaction again where another was in the way; and where the connection broke, if it only reads.
 * @throws Refusal 503 when the database cannot serve it
 */
export async function again<T>(attempt: () => Promise<T>, { writes, until }: Terms): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await attempt();
    } catch (error) {
      const mayTry = tried < ATTEMPTS && (mayRunAgain(error) || (!writes && isLost(error)));
      const rest = Math.random() * 20 * tried;
      if (!mayTry || performance.now() + rest >= until) throw asRefusal(error) ?? error;
      await wait(rest);
    }
  }
}
