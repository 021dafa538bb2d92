import { ApiError } from '../../api-error.ts';

export const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
const FREQUENCIES = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const;
const PARTS = ['FREQ', 'INTERVAL', 'BYDAY', 'BYMONTHDAY', 'BYMONTH', 'COUNT', 'UNTIL'] as const;
type Part = (typeof PARTS)[number];

/** A rule as parts. Without BY parts the lists are empty. */
export interface Rule {
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
