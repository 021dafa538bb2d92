import { setTimeout as wait } from 'node:timers/promises';

const POLL_MS = 100;
const MAX_POLLS = 300;

/** Waits until a condition holds. */
export async function until(condition: () => Promise<boolean>, subject: string): Promise<void> {
  for (let polls = 0; polls < MAX_POLLS; polls += 1) {
    if (await condition()) return;
    await wait(POLL_MS);
  }
  throw new Error(`${subject}: expected within ${(MAX_POLLS * POLL_MS) / 1000} s`);
}
