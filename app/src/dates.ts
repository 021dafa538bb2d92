const DAY_MS = 86_400_000;

/** A time in the time zone of the browser, without the zone: "2026-11-21T14:30:00.000". */
const localTime = (time: Date): string =>
  new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, -1);

/** The date of the person, in the time zone of the browser: "2026-11-21". */
export const localDate = (now = new Date()): string => localTime(now).slice(0, 10);

/** A timestamp as the value of a field for date and time: "2026-11-21T14:30". Empty if it is invalid. */
export const localMinute = (timestamp: string): string =>
  Number.isNaN(Date.parse(timestamp)) ? '' : localTime(new Date(timestamp)).slice(0, 16);

/** A date some days later or earlier. */
export const addDays = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);

const short = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** A date without its year: "21 Nov". */
export const shortDate = (date: string): string => short.format(new Date(date));
