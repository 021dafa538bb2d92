import { setTimeout as wait } from 'node:timers/promises';

const POLL_MS = 50;

/** True if the work ends without an error. */
export const succeeds = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );

/** Waits until a condition holds. @throws Error that names the subject */
export async function until(condition: () => Promise<boolean>, subject: string, timeoutMs = 30_000): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`${subject}: expected within ${timeoutMs / 1000} s`);
    await wait(POLL_MS);
  }
}
