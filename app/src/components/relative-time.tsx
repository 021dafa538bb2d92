import { Tooltip } from '@mantine/core';

const UNITS = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeStyle: 'medium' });

/** A time from now: "3 days ago", "in 2 hours". */
export function relativeTime(value: string, now = Date.now()): string {
  const seconds = Math.round((Date.parse(value) - now) / 1000);
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? [undefined, 1];
  return unit === undefined ? 'just now' : relative.format(Math.trunc(seconds / size), unit);
}

const exactDate = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeZone: 'UTC' });
const DAY_MS = 86_400_000;
const MAX_DAYS = 13;

/** Days from today, in the time zone of the person, to a calendar date. */
export function daysUntil(date: string, now = new Date()): number {
  return Math.round((Date.parse(date) - Date.UTC(now.getFullYear(), now.getMonth(), now.getDate())) / DAY_MS);
}

/** A calendar date from today: "tomorrow", "in 3 days", "2 months ago". */
function relativeDate(date: string): string {
  const days = daysUntil(date);
  if (Math.abs(days) <= MAX_DAYS) return relative.format(days, 'day');
  const [unit, size] = UNITS.find(([, length]) => Math.abs(days) * 86_400 >= length) ?? ['day', 86_400];
  return relative.format(Math.trunc((days * 86_400) / size), unit);
}

/** A calendar date, relative to today, with the exact one in a tooltip. */
export function RelativeDate({ value, isOverdue = false }: { value: string; isOverdue?: boolean }) {
  return (
    <Tooltip label={exactDate.format(new Date(value))}>
      <time dateTime={value} style={isOverdue ? { color: 'var(--app-overdue)' } : undefined}>
        {relativeDate(value)}
      </time>
    </Tooltip>
  );
}

/** A relative time with the exact one in a tooltip. */
export function RelativeTime({ value }: { value: string }) {
  return (
    <Tooltip label={exact.format(new Date(value))}>
      <time dateTime={value}>{relativeTime(value)}</time>
    </Tooltip>
  );
}
