/** Hour of the day at which reminders come, in the time zone of the company. */
const REMINDER_HOUR = 7;
/** Maximum number of days whose reminders are added after a downtime: as long as items are kept. */
const MAX_DAYS = 90;
const DAY_MS = 86_400_000;

/** A day with the time of its reminders. */
interface ReminderDay {
  day: string;
  at: Date;
}

/** Date and time on the clocks of a time zone, as if it were UTC. `sv-SE` writes them as ISO 8601. */
const clockOf = (time: Date, timeZone: string): number =>
  Date.parse(`${time.toLocaleString('sv-SE', { timeZone }).replace(' ', 'T')}Z`);

/** The time at which clocks of a time zone show a date and time. The second step is for a change of the clocks in between. */
function timeAt(clock: number, timeZone: string): Date {
  let time = clock;
  for (let step = 0; step < 2; step++) time = clock - (clockOf(new Date(time), timeZone) - time);
  return new Date(time);
}

const dayOf = (clock: number): string => new Date(clock).toISOString().slice(0, 10);

/** The last day in a time zone whose reminders are due. */
export const lastReminderDay = (timeZone: string, now: Date): string =>
  dayOf(clockOf(now, timeZone) - REMINDER_HOUR * 3_600_000);

/**
 * The days whose reminders are due, oldest first. After a downtime they are those that were missed.
 * @param remindedOn day of the last reminders; null if there were none: then nothing is due before the next day
 * @param today the last of these days, from `lastReminderDay`
 */
export function reminderDays(timeZone: string, remindedOn: string | null, today: string): ReminderDay[] {
  if (remindedOn === null) return [];
  const count = Math.min(MAX_DAYS, Math.round((Date.parse(today) - Date.parse(remindedOn)) / DAY_MS));
  return Array.from({ length: Math.max(0, count) }, (_, index): ReminderDay => {
    const midnight = Date.parse(today) - (count - 1 - index) * DAY_MS;
    return { day: dayOf(midnight), at: timeAt(midnight + REMINDER_HOUR * 3_600_000, timeZone) };
  });
}
