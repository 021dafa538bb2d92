/** Milliseconds between two looks for what is late. */
const CHECK_INTERVAL_MS = 50;

/** What has to end by a moment. */
export interface Deadline {
  /** By `performance.now()`. */
  readonly expiresAt: number;
  /** Its place among those that are watched; -1 outside. */
  index: number;
  /** Called once, when it has not ended by then. */
  onTimeout(): void;
}

const tracked: Deadline[] = [];
let timer: NodeJS.Timeout | undefined;

/**
 * Watches for what does not end in time, by up to LOOK later. One clock for all: a timer for each statement costs more than to send
 * it, and what is around it stays in memory until V8 next collects everything (docs/performance.md).
 */
export function trackDeadline(deadline: Deadline): void {
  deadline.index = tracked.push(deadline) - 1;
  timer ??= setInterval(expireDeadlines, CHECK_INTERVAL_MS).unref();
}

/** To be called when it has ended. @returns whether it was watched */
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
