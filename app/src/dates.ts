// Dates and times as people read them, in the time zone of the browser. The application is in English, and so are its dates: in
// the form of the browser's English, or of Great Britain.

const LANGUAGE = navigator.languages.find((language) => /^en\b/.test(language)) ?? 'en-GB';

const DAY_MS = 86_400_000;

/** A time in the time zone of the browser, without the zone: "2026-11-21T14:30:00.000". */
const localTime = (time: Date): string =>
  new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, -1);

/** The date of the person, in the time zone of the browser: "2026-11-21". */
export const localDate = (now = new Date()): string => localTime(now).slice(0, 10);

/** A timestamp as the value of a field for date and time: "2026-11-21T14:30". Empty if it is invalid. */
export const localMinute = (timestamp: string): string =>
  Number.isNaN(Date.parse(timestamp)) ? '' : localTime(new Date(timestamp)).slice(0, 16);

/** The date in a time zone, for example that of the company; that of the person if the browser does not know the zone. */
export function dateIn(timeZone: string, now = new Date()): string {
  try {
    return new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(now);
  } catch {
    return localDate(now);
  }
}

/** The same day some months later, or the last day of a month that has no such day. */
export function monthsLater(date: string, months: number): string {
  const [year = 0, month = 1, dayOfMonthBefore = 1] = date.split('-').map(Number);
  const lastDay = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + months, Math.min(dayOfMonthBefore, lastDay))).toISOString().slice(0, 10);
}

/** First and last day of the quarter of a date. @param shift -1 for the quarter before, 1 for the one after */
export function quarterOf(date: string, shift = 0): { first: string; last: string } {
  const [year = 0, month = 1] = date.split('-').map(Number);
  const start = 3 * (Math.floor((month - 1) / 3) + shift);
  const dayText = (monthOfYear: number, dayOfQuarter: number) =>
    new Date(Date.UTC(year, monthOfYear, dayOfQuarter)).toISOString().slice(0, 10);
  return { first: dayText(start, 1), last: dayText(start + 3, 0) };
}

/** The day a number of days before another one. */
export const daysBefore = (date: string, days: number): string =>
  new Date(Date.parse(date) - days * DAY_MS).toISOString().slice(0, 10);

const DAY = { day: 'numeric', month: 'short', year: 'numeric' } as const;
// Calendar dates have no time zone: they are read and written in UTC.
const calendarDay = new Intl.DateTimeFormat(LANGUAGE, { ...DAY, timeZone: 'UTC' });
const dayOfMonth = new Intl.DateTimeFormat(LANGUAGE, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const day = new Intl.DateTimeFormat(LANGUAGE, DAY);
const clock = new Intl.DateTimeFormat(LANGUAGE, { timeStyle: 'short' });
const exactClock = new Intl.DateTimeFormat(LANGUAGE, { timeStyle: 'medium' });
const exact = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: 'medium', timeStyle: 'long' });

/** A calendar date: "12 Oct 2026". */
export const dateText = (date: string): string => calendarDay.format(new Date(date));

/** A calendar date without its year, for an axis: "12 Oct". */
export const shortDate = (date: string): string => dayOfMonth.format(new Date(date));

/** Day and time of a timestamp: "12 Oct 2026" and "14:30". @param withSeconds "14:30:05" */
export function timeParts(timestamp: string, withSeconds = false): { day: string; time: string } {
  const instant = new Date(timestamp);
  return { day: day.format(instant), time: (withSeconds ? exactClock : clock).format(instant) };
}

/** A timestamp: "12 Oct 2026, 14:30". */
export function timeText(timestamp: string): string {
  const parts = timeParts(timestamp);
  return `${parts.day}, ${parts.time}`;
}

/** A timestamp to the second, with its zone. */
export const exactTime = (timestamp: string): string => exact.format(new Date(timestamp));

const UNITS = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** A timestamp from now: "3 days ago", "in 2 hours". An addition to the time, never in its place. */
export function relativeTime(timestamp: string, now = Date.now()): string {
  const seconds = Math.round((Date.parse(timestamp) - now) / 1000);
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? [undefined, 1];
  return unit === undefined ? 'just now' : relative.format(Math.trunc(seconds / size), unit);
}

/** Days from today, in the time zone of the person, to a calendar date. */
export function daysUntil(date: string, now = new Date()): number {
  return Math.round((Date.parse(date) - Date.UTC(now.getFullYear(), now.getMonth(), now.getDate())) / DAY_MS);
}

/** A calendar date near today: "tomorrow", "in 3 days". */
export const relativeDate = (date: string): string => relative.format(daysUntil(date), 'day');

/** "1 day overdue", "42 days overdue" */
export function overdueText(date: string): string {
  const days = -daysUntil(date);
  return `${days.toLocaleString('en')} ${days === 1 ? 'day' : 'days'} overdue`;
}

/** "20 seconds", "3 minutes" */
export function durationText(seconds: number): string {
  const [count, unit] =
    seconds < 60 ? [Math.max(1, Math.ceil(seconds)), 'second'] : [Math.round(seconds / 60), 'minute'];
  return `${count.toLocaleString('en')} ${count === 1 ? unit : `${unit}s`}`;
}
