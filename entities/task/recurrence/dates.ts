import { RRuleTemporal } from 'rrule-temporal';
import { DATE_YEARS } from '../../fields/schemas.ts';
import { WEEKDAYS } from './parse.ts';
import type { Rule } from './parse.ts';

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
export function* datesOf(rule: Rule, dueDate: string, notBefore = dueDate): Generator<string> {
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
