import { valuesOf } from '../../api/values.ts';

export type Unit = 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY';
type Weekday = 'MO' | 'TU' | 'WE' | 'TH' | 'FR' | 'SA' | 'SU';

const WEEKDAY_NAMES = {
  MO: 'Monday',
  TU: 'Tuesday',
  WE: 'Wednesday',
  TH: 'Thursday',
  FR: 'Friday',
  SA: 'Saturday',
  SU: 'Sunday',
} as const satisfies Record<Weekday, string>;

export const WEEKDAYS = valuesOf<Weekday>(WEEKDAY_NAMES).map((value) => ({ value, label: WEEKDAY_NAMES[value] }));
export const weekdayName = (weekday: string): string =>
  WEEKDAYS.find(({ value }) => value === weekday)?.label ?? weekday;

/** Last day of a month, among the days of `Plan.day`. */
export const LAST_DAY = '-1';

/** Weeks of a month, for a weekday such as the first Monday. */
export const WEEKS = [
  { value: '1', label: 'first' },
  { value: '2', label: 'second' },
  { value: '3', label: 'third' },
  { value: '4', label: 'fourth' },
  { value: '-1', label: 'last' },
] as const;

/** A rule that people read as words. */
export interface Plan {
  unit: Unit;
  interval: number;
  /** Weekdays of weeks. None: that of the due date. */
  weekdays: readonly string[];
  /** Day of months: a number, `LAST_DAY`, or a weekday such as `1MO` and `-1FR`. Empty: that of the due date. */
  day: string;
  end: End;
}

export type End = { kind: 'never' } | { kind: 'count'; count: number } | { kind: 'until'; date: string };

const WEEKDAY = /^(?:MO|TU|WE|TH|FR|SA|SU)$/;
const DAY_OF_MONTH = /^(?:[1-9]|[12]\d|3[01]|-1)$/;
const WEEKDAY_OF_MONTH = /^(?:[1-4]|-1)(?:MO|TU|WE|TH|FR|SA|SU)$/;

/** Parts whose words a unit has, beside those of the interval and the end. */
const PARTS: Readonly<Record<Unit, readonly string[]>> = {
  DAILY: [],
  WEEKLY: ['BYDAY'],
  MONTHLY: ['BYDAY', 'BYMONTHDAY'],
  YEARLY: [],
};
const UNITS = valuesOf<Unit>(PARTS);

/** The words of a rule; undefined if it says more than they can. */
export function planOf(rule: string): Plan | undefined {
  const parts = new Map(
    rule
      .toUpperCase()
      .split(';')
      .map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]),
  );
  const unit = UNITS.find((one) => one === parts.get('FREQ'));
  if (unit === undefined) return undefined;
  const known = new Set(['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', ...PARTS[unit]]);
  if ([...parts.keys()].some((name) => !known.has(name))) return undefined;
  const [byDay, byMonthDay] = [parts.get('BYDAY'), parts.get('BYMONTHDAY')];
  const weekdays = unit === 'WEEKLY' ? (byDay?.split(',') ?? []) : [];
  const day = unit === 'MONTHLY' ? (byDay ?? byMonthDay ?? '') : '';
  const isPlain =
    weekdays.every((weekday) => WEEKDAY.test(weekday)) &&
    (byDay === undefined || byMonthDay === undefined) &&
    (day === '' || (byDay === undefined ? DAY_OF_MONTH : WEEKDAY_OF_MONTH).test(day));
  const end = endOf(parts.get('COUNT'), parts.get('UNTIL'));
  const interval = Number(parts.get('INTERVAL') ?? 1);
  return isPlain && end !== undefined && isCount(interval) ? { unit, interval, weekdays, day, end } : undefined;
}

function endOf(count: string | undefined, until: string | undefined): End | undefined {
  if (until !== undefined)
    return /^\d{8}$/.test(until) && count === undefined
      ? { kind: 'until', date: `${until.slice(0, 4)}-${until.slice(4, 6)}-${until.slice(6)}` }
      : undefined;
  if (count === undefined) return { kind: 'never' };
  return isCount(Number(count)) ? { kind: 'count', count: Number(count) } : undefined;
}

export const isCount = (number: number): boolean => Number.isSafeInteger(number) && number > 0;

/** The rule of words, as the API takes it. */
export function ruleOf({ unit, interval, weekdays, day, end }: Plan): string {
  const chosen = WEEKDAYS.filter(({ value }) => weekdays.includes(value)).map(({ value }) => value);
  return [
    `FREQ=${unit}`,
    ...(interval > 1 ? [`INTERVAL=${interval}`] : []),
    ...(unit === 'WEEKLY' && chosen.length > 0 ? [`BYDAY=${chosen.join(',')}`] : []),
    ...(unit === 'MONTHLY' && day !== '' ? [`${WEEKDAY_OF_MONTH.test(day) ? 'BYDAY' : 'BYMONTHDAY'}=${day}`] : []),
    ...(end.kind === 'count' ? [`COUNT=${end.count}`] : []),
    ...(end.kind === 'until' ? [`UNTIL=${end.date.replaceAll('-', '')}`] : []),
  ].join(';');
}

/** A plan that has the due date among its days. */
export function proposedPlan(unit: Unit, interval: number, dueDate: string, end: End): Plan {
  const due = new Date(dueDate);
  const nextDay = new Date(due.getTime() + 86_400_000).getUTCDate();
  return {
    unit,
    interval,
    weekdays: unit === 'WEEKLY' ? [weekdayOf(dueDate)] : [],
    day: unit === 'MONTHLY' ? (nextDay === 1 ? LAST_DAY : String(due.getUTCDate())) : '',
    end,
  };
}

/** Weekday of a date: "MO". */
export const weekdayOf = (date: string): Weekday => WEEKDAYS[(new Date(date).getUTCDay() + 6) % 7]?.value ?? 'MO';
