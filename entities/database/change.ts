import { Refusal } from '../refusal.ts';

/** Each attempt that fails means that another change succeeded: only a row that everybody writes at once gets here. */
const ATTEMPTS = 200;

/**
 * Reads a row, lets `write` apply its rules and write over the version read, and starts again when another change
 * came between, so that none is lost and no lock is held over a round trip.
 * @param write gives the row after the change, or undefined when the version was no longer the one read.
 */
export async function change<T>(read: () => Promise<T>, write: (current: T) => Promise<T | undefined>): Promise<T> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const written = await write(await read());
    if (written !== undefined) return written;
  }
  throw new Refusal('unavailable', 'Too many changes of this resource at once. Try again shortly.');
}
