import { localDate } from '../../dates.ts';

// Days of the person's time zone, and the times of the API. `since` is included, `until` is not.

const isDay = (day: string): boolean => /^[12]\d{3}-\d{2}-\d{2}$/.test(day);

const midnight = (day: string, days: number): string | undefined => {
  if (!isDay(day)) return undefined;
  const date = new Date(`${day}T00:00:00`);
  date.setDate(date.getDate() + days);
  return date.toISOString();
};

/** Time at which a day starts; undefined without a day. */
export const startOfDay = (day: string): string | undefined => midnight(day, 0);

/** Time at which a day has ended; undefined without a day. */
export const endOfDay = (day: string): string | undefined => midnight(day, 1);

/** Day of a time, moved by some days; empty without a valid time. */
export function toDay(time: string | undefined, days = 0): string {
  const date = new Date(time ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return '';
  date.setDate(date.getDate() + days);
  return localDate(date);
}
