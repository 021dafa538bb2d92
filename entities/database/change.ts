import { Refusal } from '../refusal.ts';

/** Each attempt that fails means that another change succeeded: only a row that everybody writes at once gets here. */
const ATTEMPTS = 200;

/**
 * Tries a change again for as long as others come between, so that none is lost and no lock is held over a round trip.
 * @param attempt gives what came of the change, or undefined when another came first.
 */
export async function change<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let tried = 0; tried < ATTEMPTS; tried++) {
    const changed = await attempt();
    if (changed !== undefined) return changed;
  }
  throw new Refusal('unavailable', 'Too many changes of this resource at once. Try again shortly.');
}
