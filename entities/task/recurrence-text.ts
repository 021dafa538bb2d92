import { parseRule } from './recurrence.ts';

const UNITS = { DAILY: 'day', WEEKLY: 'week', MONTHLY: 'month', YEARLY: 'year' } as const;
const WEEKDAYS: Readonly<Record<string, string>> = {
  MO: 'Monday',
  TU: 'Tuesday',
  WE: 'Wednesday',
  TH: 'Thursday',
  FR: 'Friday',
  SA: 'Saturday',
  SU: 'Sunday',
};
const WEEKS: Readonly<Record<string, string>> = {
  '1': 'first',
  '2': 'second',
  '3': 'third',
  '4': 'fourth',
  '-1': 'last',
};
const list = new Intl.ListFormat('en');

/** A day of a month: "day 12", "the last day". */
const dayOfMonth = (day: number) => (day === -1 ? 'the last day' : `day ${day}`);

/** A weekday, or one of a month: "Monday", "the first Monday". Undefined for others. */
function weekdayText(day: string): string | undefined {
  const name = WEEKDAYS[day.slice(-2)];
  const week = day.slice(0, -2);
  if (week === '') return name;
  return WEEKS[week] === undefined ? undefined : `the ${WEEKS[week]} ${name}`;
}

/** A rule of a task as people read it: "Every 3 months on the last day". The rule itself if it says more than that. */
export function recurrenceText(rule: string): string {
  const { frequency, interval, byDay, byMonthDay, byMonth, count, until } = parseRule(rule);
  const unit = UNITS[frequency];
  const every = interval === 1 ? `Every ${unit}` : `Every ${interval} ${unit}s`;
  const days = [...byDay.map(weekdayText), ...byMonthDay.map((day) => (day < -1 ? undefined : dayOfMonth(day)))];
  const known = days.filter((day) => day !== undefined);
  const isPlain =
    known.length === days.length && byMonth.length === 0 && (byDay.length === 0 || byMonthDay.length === 0);
  if (!isPlain) return rule;
  const on = known.length === 0 ? '' : ` on ${list.format(known)}`;
  if (until !== undefined) return `${every}${on}, until ${until}`;
  return count === undefined
    ? `${every}${on}`
    : `${every}${on}, ${count} ${count === 1 ? 'task' : 'tasks'} with this one`;
}
