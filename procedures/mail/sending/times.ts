const MINUTE_MS = 60_000;
/** Minutes for which items are collected in one mail. Contract, section 18. */
const COLLECT_MINUTES = 2;
const MAX_PAUSE_MINUTES = 60;
/** Minutes for which a mail is tried. */
export const MAX_MINUTES = 24 * 60;

const minutesBefore = (now: Date, minutes: number): string =>
  new Date(now.getTime() - minutes * MINUTE_MS).toISOString();

/** Items up to this time have waited long enough. */
export const collectedUntil = (now: Date): string => minutesBefore(now, COLLECT_MINUTES);

/** Mails up to this time are given up after another failure. */
export const givenUpUntil = (now: Date): string => minutesBefore(now, MAX_MINUTES);

/** Time of the next attempt: after 1, 2, 4, … minutes, at most an hour. @param attempts number of attempts so far */
export const nextAttemptAt = (now: Date, attempts: number): string =>
  minutesBefore(now, -Math.min(2 ** (attempts - 1), MAX_PAUSE_MINUTES));
