/** Milliseconds between two looks for what is late. */
const LOOK = 50;

/** What has to end by a moment. */
export interface Due {
  /** By `performance.now()`. */
  readonly until: number;
  /** Its place among those that are watched; -1 outside. */
  place: number;
  /** Called once, when it has not ended by then. */
  late(): void;
}

const watched: Due[] = [];
let clock: NodeJS.Timeout | undefined;

/**
 * Watches for what does not end in time, by up to LOOK later. One clock for all: a timer for each statement costs more than to send
 * it, and what is around it stays in memory until V8 next collects everything (docs/performance.md).
 */
export function watchDue(due: Due): void {
  due.place = watched.push(due) - 1;
  clock ??= setInterval(look, LOOK).unref();
}

/** To be called when it has ended. @returns whether it was watched */
export function unwatchDue(due: Due): boolean {
  const { place } = due;
  if (place < 0) return false;
  due.place = -1;
  const last = watched.pop();
  if (last !== undefined && last !== due) {
    watched[place] = last;
    last.place = place;
  }
  return true;
}

function look(): void {
  const now = performance.now();
  for (const due of watched.filter(({ until }) => until <= now)) if (unwatchDue(due)) due.late();
  if (watched.length > 0) return;
  clearInterval(clock);
  clock = undefined;
}
