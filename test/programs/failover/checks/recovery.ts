/** A response, at a time of the monotonic clock. */
export interface TimedResponse {
  atMs: number;
  hasFailed: boolean;
}

/** Length of the intervals in which responses are counted, and the share of them that must succeed. */
const INTERVAL_MS = 1000;
const MIN_SUCCESS = 0.99;

/**
 * Returns the milliseconds from a fault to the end of the last interval in which less than 99 % of the responses were successes, or
 * in which there was no response. 0 if there is no such interval; undefined if the last one until `endMs` is one.
 */
export function recoveryTime(responses: readonly TimedResponse[], faultMs: number, endMs: number): number | undefined {
  const intervals = Math.floor((endMs - faultMs) / INTERVAL_MS);
  const counts = Array.from({ length: intervals }, () => ({ all: 0, failed: 0 }));
  for (const { atMs, hasFailed } of responses) {
    const count = atMs < faultMs ? undefined : counts[Math.floor((atMs - faultMs) / INTERVAL_MS)];
    if (count === undefined) continue;
    count.all += 1;
    if (hasFailed) count.failed += 1;
  }
  const last = counts.findLastIndex(({ all, failed }) => all === 0 || failed / all > 1 - MIN_SUCCESS);
  return last === intervals - 1 && intervals > 0 ? undefined : (last + 1) * INTERVAL_MS;
}
