/** Interval of checks for expired deadlines. */
const CHECK_INTERVAL_MS = 50;

/** A query that must end in time. */
export interface Deadline {
  /** A value of `performance.now()`. */
  readonly expiresAt: number;
  /** Index in the list of tracked deadlines; -1 if not tracked. */
  index: number;
  /** Called once, if the deadline expires. */
  onTimeout(): void;
}

const tracked: Deadline[] = [];
let timer: NodeJS.Timeout | undefined;

/**
 * Times out a query, up to `CHECK_INTERVAL_MS` late. All queries share one interval: a timer for each would cost more than
 * sending the statement, and would retain its closure until the next major garbage collection (bench/README.md).
 */
export function trackDeadline(deadline: Deadline): void {
  deadline.index = tracked.push(deadline) - 1;
  timer ??= setInterval(expireDeadlines, CHECK_INTERVAL_MS).unref();
}

/** Stops tracking a query that has ended. @returns true if it was tracked */
export function clearDeadline(deadline: Deadline): boolean {
  const { index } = deadline;
  if (index < 0) return false;
  deadline.index = -1;
  const last = tracked.pop();
  if (last !== undefined && last !== deadline) {
    tracked[index] = last;
    last.index = index;
  }
  return true;
}

function expireDeadlines(): void {
  const now = performance.now();
  for (const deadline of tracked.filter(({ expiresAt }) => expiresAt <= now))
    if (clearDeadline(deadline)) deadline.onTimeout();
  if (tracked.length > 0) return;
  clearInterval(timer);
  timer = undefined;
}
