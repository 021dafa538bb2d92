import { RRuleTemporal } from 'rrule-temporal';
import { ApiError } from '../api-error.ts';
import { requires, violationOf } from '../fields/rules.ts';
import { DATE_YEARS } from '../fields/schemas.ts';

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
const FREQUENCIES = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const;
const PARTS = ['FREQ', 'INTERVAL', 'BYDAY', 'BYMONTHDAY', 'BYMONTH', 'COUNT', 'UNTIL'] as const;
type Part = (typeof PARTS)[number];

/** A rule as parts. Without BY parts the lists are empty. */
interface Rule {
  frequency: (typeof FREQUENCIES)[number];
  interval: number;
  /** Weekdays, such as `MO` or `-1FR`. */
  byDay: string[];
  byMonthDay: number[];
  byMonth: number[];
  count: number | undefined;
  /** YYYY-MM-DD, included. */
  until: string | undefined;
}

const invalid = (message: string) => new ApiError('unprocessable', `recurrence: ${message}`);

const isPart = (name: string): name is Part => PARTS.some((part) => part === name);

/** Values by name of the part, in upper case: RFC 5545 ignores the case of names and enumerated values. */
function splitParts(text: string): Map<Part, string> {
  if (/^RRULE:/iu.test(text)) throw invalid('expected the rule without the prefix RRULE:');
  const parts = new Map<Part, string>();
  for (const part of text.split(';')) {
    // Before toUpperCase(), which makes ASCII letters of some others.
    const isPlain = /^[A-Za-z-]+=[A-Za-z0-9,+-]+$/u.test(part);
    const [name, value] = isPlain ? part.toUpperCase().split('=') : [];
    if (name === undefined || value === undefined) {
      throw invalid('expected parts NAME=value separated by semicolons, such as FREQ=MONTHLY;INTERVAL=3');
    }
    if (!isPart(name)) throw invalid(`expected only the parts ${PARTS.join(', ')}`);
    if (parts.has(name)) throw invalid(`expected ${name} once`);
    parts.set(name, value);
  }
  return parts;
}

/** A number of digits without sign, from 1. */
function positive(parts: Map<Part, string>, name: 'INTERVAL' | 'COUNT'): number | undefined {
  const value = parts.get(name);
  if (value === undefined) return undefined;
  const number = /^\d+$/u.test(value) ? Number(value) : 0;
  if (number < 1 || !Number.isSafeInteger(number)) throw invalid(`expected ${name} to be a whole number from 1`);
  return number;
}

/** Values of a list, each of one or two digits, in the order of the rule. */
function numbers(parts: Map<Part, string>, name: 'BYMONTH' | 'BYMONTHDAY', max: number, description: string): number[] {
  const pattern = name === 'BYMONTH' ? /^\d{1,2}$/u : /^[+-]?\d{1,2}$/u;
  const values = parts.get(name)?.split(',') ?? [];
  return values.map((value) => {
    const number = Number(value);
    if (!pattern.test(value) || number === 0 || Math.abs(number) > max) {
      throw invalid(`expected ${name} to be ${description}, separated by commas`);
    }
    return number;
  });
}

/** Weekdays of a list in one form: `+01MO` is `1MO`. */
function weekdays(parts: Map<Part, string>): string[] {
  const values = parts.get('BYDAY')?.split(',') ?? [];
  return values.map((value) => {
    const [, ordinal, weekday] = /^([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)$/u.exec(value) ?? [];
    const number = Number(ordinal ?? 1);
    if (weekday === undefined || number === 0 || Math.abs(number) > 53) {
      throw invalid(
        'expected BYDAY to be weekdays such as MO, 1MO or -1FR, with numbers from 1 to 53, separated by commas',
      );
    }
    return ordinal === undefined ? weekday : `${number}${weekday}`;
  });
}

function untilOf(parts: Map<Part, string>): string | undefined {
  const value = parts.get('UNTIL');
  if (value === undefined) return undefined;
  const date = value.replace(/^(\d{4})(\d{2})(\d{2})$/u, '$1-$2-$3');
  const time = date === value ? Number.NaN : Date.parse(`${date}T00:00:00Z`);
  // JavaScript reads 30 February as 2 March.
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== date) {
    throw invalid('expected UNTIL to be a date YYYYMMDD');
  }
  return date;
}

/**
 * Parts of a rule.
 * @throws ApiError 422 for a rule that contract, section 22, or RFC 5545, section 3.3.10, does not have
 */
export function parseRule(text: string): Rule {
  const parts = splitParts(text);
  const frequency = FREQUENCIES.find((name) => name === parts.get('FREQ'));
  if (frequency === undefined) throw invalid(`expected FREQ to be one of ${FREQUENCIES.join(', ')}`);
  const rule = {
    frequency,
    interval: positive(parts, 'INTERVAL') ?? 1,
    byDay: weekdays(parts),
    byMonthDay: numbers(parts, 'BYMONTHDAY', 31, 'days from 1 to 31 or from -31 to -1'),
    byMonth: numbers(parts, 'BYMONTH', 12, 'months from 1 to 12'),
    count: positive(parts, 'COUNT'),
    until: untilOf(parts),
  };
  if (rule.count !== undefined && rule.until !== undefined) throw invalid('expected COUNT or UNTIL, not both');
  if (frequency === 'WEEKLY' && rule.byMonthDay.length > 0)
    throw invalid('expected BYMONTHDAY only without FREQ=WEEKLY');
  if ((frequency === 'DAILY' || frequency === 'WEEKLY') && rule.byDay.some((day) => day.length > 2)) {
    throw invalid('expected numbers in BYDAY only with FREQ=MONTHLY or FREQ=YEARLY');
  }
  return rule;
}

const DAY_MS = 86_400_000;

/** Days since 1970-01-01. */
const dayNumber = (year: number, month: number, date: number) => Date.UTC(year, month - 1, date) / DAY_MS;

const formatDay = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);

function parseDay(text: string): { day: number; year: number; month: number; date: number } {
  const year = Number(text.slice(0, 4));
  const month = Number(text.slice(5, 7));
  const date = Number(text.slice(8, 10));
  return { day: dayNumber(year, month, date), year, month, date };
}

/** Number of the week, which begins on Monday, and of the weekday, from 0. 1970-01-01 was a Thursday. */
const weekOf = (day: number) => Math.floor((day + 3) / 7);
const weekdayOf = (day: number) => day + 3 - weekOf(day) * 7;

/** Weekdays, days of months and months of a rule, with those that RFC 5545 takes from DTSTART. */
type DayParts = Pick<Rule, 'byDay' | 'byMonthDay' | 'byMonth'>;

function dayParts({ frequency, byDay, byMonthDay, byMonth }: Rule, dueDate: string): DayParts {
  if (byDay.length > 0 || byMonthDay.length > 0) return { byDay, byMonthDay, byMonth };
  const { day, month, date } = parseDay(dueDate);
  if (frequency === 'DAILY') return { byDay: [...WEEKDAYS], byMonthDay, byMonth };
  if (frequency === 'WEEKLY') return { byDay: [WEEKDAYS[weekdayOf(day)] ?? 'MO'], byMonthDay, byMonth };
  return { byDay, byMonthDay: [date], byMonth: frequency === 'YEARLY' && byMonth.length === 0 ? [month] : byMonth };
}

/** A date of a rule in a year. `offset` counts days since 1 January. */
interface DateOfYear {
  offset: number;
  month: number;
}

/** Dates of a year by offset, as the library expands a rule with these values. None without values. */
function expand(year: number, rule: string, values: readonly (string | number)[]): Map<number, DateOfYear> {
  if (values.length === 0) return new Map();
  const rruleString = `DTSTART;TZID=UTC:${year}0101T000000\nRRULE:${rule}=${values.join(',')};UNTIL=${year}1231T000000Z`;
  const first = dayNumber(year, 1, 1);
  const dates = new RRuleTemporal({ rruleString }).all().map(({ epochMilliseconds }) => {
    const offset = epochMilliseconds / DAY_MS - first;
    return { offset, month: new Date(epochMilliseconds).getUTCMonth() + 1 };
  });
  return new Map(dates.map((date) => [date.offset, date]));
}

const isNumbered = (weekday: string) => weekday.length > 2;

/**
 * Dates of the parts in a year, ascending, for an INTERVAL of 1. The library expands each kind of values alone: it errs where a rule
 * has numbered weekdays beside others or beside BYMONTHDAY (0062). Only YEARLY numbers weekdays in the year.
 */
function expandYear({ byDay, byMonthDay, byMonth }: DayParts, isYearly: boolean, year: number): DateOfYear[] {
  const rule = `FREQ=${isYearly ? 'YEARLY' : 'MONTHLY'}${byMonth.length > 0 ? `;BYMONTH=${byMonth.join(',')}` : ''}`;
  const numbered = expand(year, `${rule};BYDAY`, byDay.filter(isNumbered));
  const others = expand(
    year,
    `${rule};BYDAY`,
    byDay.filter((weekday) => !isNumbered(weekday)),
  );
  const monthDays = expand(year, `${rule};BYMONTHDAY`, byMonthDay);
  const dates = byDay.length > 0 ? new Map([...numbered, ...others]) : monthDays;
  return [...dates.values()]
    .filter(({ offset }) => byMonthDay.length === 0 || monthDays.has(offset))
    .toSorted((a, b) => a.offset - b.offset);
}

/** Number of the period of FREQ that has the day. */
function periodOf(frequency: Rule['frequency'], day: number, year: number, month: number): number {
  if (frequency === 'DAILY') return day;
  if (frequency === 'WEEKLY') return weekOf(day);
  return frequency === 'MONTHLY' ? year * 12 + month : year;
}

/**
 * Dates of a rule after `dueDate`, which is its DTSTART, and not before `notBefore`, until the year 2999. Ignores COUNT.
 *
 * The library expands single years. There are 14 kinds of years: 7 weekdays of 1 January, with and without a leap day. So a rule
 * without dates costs at most 14 expansions, and some arithmetic for each year.
 */
function* datesOf(rule: Rule, dueDate: string, notBefore = dueDate): Generator<string> {
  const { frequency, interval, until } = rule;
  const start = parseDay(dueDate);
  const earliest = parseDay(notBefore);
  const parts = dayParts(rule, dueDate);
  const startPeriod = periodOf(frequency, start.day, start.year, start.month);
  const kinds = new Map<string, DateOfYear[]>();
  const lastYear = Math.min(DATE_YEARS.max, Number(until?.slice(0, 4) ?? DATE_YEARS.max));
  for (let year = Math.max(start.year, earliest.year); year <= lastYear; year++) {
    const first = dayNumber(year, 1, 1);
    const last = dayNumber(year, 12, 31);
    const fromStart = periodOf(frequency, first, year, 1) - startPeriod;
    const toNext = (interval - (fromStart % interval)) % interval;
    if (startPeriod + fromStart + toNext > periodOf(frequency, last, year, 12)) continue;
    const kind = `${weekdayOf(first)} ${last - first}`;
    const dates = kinds.get(kind) ?? expandYear(parts, frequency === 'YEARLY', year);
    kinds.set(kind, dates);
    for (const { offset, month } of dates) {
      const day = first + offset;
      if (day <= start.day || day < earliest.day) continue;
      if ((periodOf(frequency, day, year, month) - startPeriod) % interval !== 0) continue;
      const text = formatDay(day);
      if (until !== undefined && text > until) return;
      yield text;
    }
  }
}

/** Longest recurrence, in characters. */
export const MAX_RECURRENCE_LENGTH = 500;

/** Not one of the rules of the resource, because the error for an invalid recurrence comes before it. */
export const RECURRENCE_HAS_DUE_DATE = requires('recurrence', 'dueDate', 'from which the rule starts');

/** A task that recurs. `recurrence` is a valid rule, `dueDate` the date from which it counts. */
export interface RecurringTask {
  recurrence: string;
  dueDate: string;
}

/** The first value of a generator, which may end without one. */
const firstOf = <T>(values: Iterable<T>): T | undefined => values[Symbol.iterator]().next().value;

/** Rule, or error 422 that says which part is wrong. */
function parsed(recurrence: string): Rule | ApiError {
  try {
    return parseRule(recurrence);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** Error 422, naming the field, if the rule is not one of contract, section 22, or contradicts the due date. */
export function validateRecurrence({
  recurrence,
  dueDate,
}: {
  recurrence: string | null;
  dueDate: string | null;
}): ApiError | undefined {
  if (recurrence === null) return undefined;
  const rule = parsed(recurrence);
  if (rule instanceof ApiError) return rule;
  if (dueDate === null) return violationOf([RECURRENCE_HAS_DUE_DATE], { recurrence, dueDate });
  if (rule.until !== undefined && rule.until < dueDate) {
    return new ApiError('unprocessable', `recurrence: UNTIL ${rule.until} is before dueDate ${dueDate}`);
  }
  if (rule.count === undefined && rule.until === undefined && firstOf(datesOf(rule, dueDate)) === undefined) {
    return new ApiError('unprocessable', `recurrence: expected a rule with a date after dueDate ${dueDate}`);
  }
  return undefined;
}

/**
 * Due date and rule of the next task; undefined if the series ends. `notBefore`: today, YYYY-MM-DD. COUNT of the next rule is one
 * less, and dates before today do not count. After the year 2999 the series ends.
 */
export function nextOccurrence(task: RecurringTask, notBefore: string): RecurringTask | undefined {
  const rule = parseRule(task.recurrence);
  if (rule.count === 1) return undefined;
  const dueDate = firstOf(datesOf(rule, task.dueDate, notBefore));
  if (dueDate === undefined) return undefined;
  const { count } = rule;
  const recurrence =
    count === undefined
      ? task.recurrence
      : task.recurrence.replace(/(COUNT=)\d+/iu, (_, name: string) => `${name}${count - 1}`);
  return { dueDate, recurrence };
}

/** The next dates after the due date, at most `count`. Honors COUNT, the number of tasks left with this one, and UNTIL. */
export function upcomingDates(task: RecurringTask, count: number): string[] {
  const rule = parseRule(task.recurrence);
  const limit = Math.min(count, (rule.count ?? Infinity) - 1);
  return datesOf(rule, task.dueDate).take(Math.max(limit, 0)).toArray();
}
