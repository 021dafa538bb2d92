import { describe, expect, test } from 'vitest';
import { nextOccurrence, validateRecurrence } from '../../entities/task/recurrence.ts';

const messageOf = (recurrence: string, dueDate: string | null = '2026-03-31') =>
  validateRecurrence({ recurrence, dueDate })?.message;

describe('the next task', () => {
  const next = (recurrence: string, dueDate: string, today: string) => nextOccurrence({ recurrence, dueDate }, today);

  test('has the next date of the rule and the same rule', () => {
    const recurrence = 'BYMONTHDAY=-1;FREQ=MONTHLY;INTERVAL=3';
    expect(next(recurrence, '2026-12-31', '2026-12-01')).toEqual({ dueDate: '2027-03-31', recurrence });
  });

  test('is due today or later, one task after a year without care', () => {
    const recurrence = 'FREQ=MONTHLY';
    expect(next(recurrence, '2025-12-10', '2026-12-10')).toEqual({ dueDate: '2026-12-10', recurrence });
    expect(next(recurrence, '2025-12-10', '2026-12-11')).toEqual({ dueDate: '2027-01-10', recurrence });
  });

  test('keeps the interval after years without care', () => {
    expect(next('FREQ=DAILY;INTERVAL=3', '1900-01-01', '2026-11-27')?.dueDate).toBe('2026-11-29');
    expect(next('FREQ=WEEKLY;INTERVAL=2', '2000-01-05', '2026-11-27')?.dueDate).toBe('2026-12-02');
    expect(next('FREQ=YEARLY;INTERVAL=5', '2000-01-05', '2026-11-27')?.dueDate).toBe('2030-01-05');
  });

  test('has one task less to come, whatever dates were left out', () => {
    expect(next('FREQ=DAILY;COUNT=3;INTERVAL=1', '2026-01-01', '2026-11-27')).toEqual({
      dueDate: '2026-11-27',
      recurrence: 'FREQ=DAILY;COUNT=2;INTERVAL=1',
    });
    expect(next('count=2;freq=daily', '2026-01-01', '2026-01-01')?.recurrence).toBe('count=1;freq=daily');
    expect(next('FREQ=DAILY;COUNT=1', '2026-01-01', '2026-01-01')).toBeUndefined();
  });

  test('is none after UNTIL and after the year 2999', () => {
    expect(next('FREQ=DAILY;UNTIL=20260103', '2026-01-02', '2026-01-01')?.dueDate).toBe('2026-01-03');
    expect(next('FREQ=DAILY;UNTIL=20260103', '2026-01-02', '2026-01-04')).toBeUndefined();
    expect(next('FREQ=YEARLY', '2999-01-01', '2026-01-01')).toBeUndefined();
    expect(next('FREQ=DAILY', '2999-12-31', '2026-01-01')).toBeUndefined();
  });
});

describe('a rule', () => {
  test.for([
    'FREQ=DAILY',
    'INTERVAL=3;BYMONTHDAY=-1;FREQ=MONTHLY',
    'freq=weekly;byday=mo,Fr',
    'FREQ=MONTHLY;BYDAY=+1MO,-01FR,5SU',
    'FREQ=MONTHLY;BYMONTHDAY=+1,02,-31',
    'FREQ=YEARLY;BYMONTH=02;BYMONTHDAY=29',
    'FREQ=YEARLY;BYDAY=53MO',
    'FREQ=DAILY;BYDAY=MO,TU;BYMONTHDAY=1;BYMONTH=3',
    'FREQ=DAILY;COUNT=1',
    'FREQ=DAILY;UNTIL=20260331',
    'FREQ=DAILY;UNTIL=99991231',
    'FREQ=YEARLY;INTERVAL=973',
    // Their series ends with this task.
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;COUNT=5',
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;UNTIL=20300101',
    `FREQ=MONTHLY;BYDAY=${Array.from({ length: 150 }, () => 'MO').join(',')}`,
  ])('%s is accepted', (recurrence) => {
    expect(messageOf(recurrence)).toBeUndefined();
  });

  const only = 'expected only the parts FREQ, INTERVAL, BYDAY, BYMONTHDAY, BYMONTH, COUNT, UNTIL';
  const form = 'expected parts NAME=value separated by semicolons, such as FREQ=MONTHLY;INTERVAL=3';
  const frequency = 'expected FREQ to be one of DAILY, WEEKLY, MONTHLY, YEARLY';
  const interval = 'expected INTERVAL to be a whole number from 1';
  const count = 'expected COUNT to be a whole number from 1';
  const weekdays =
    'expected BYDAY to be weekdays such as MO, 1MO or -1FR, with numbers from 1 to 53, separated by commas';
  const monthDays = 'expected BYMONTHDAY to be days from 1 to 31 or from -31 to -1, separated by commas';
  const months = 'expected BYMONTH to be months from 1 to 12, separated by commas';
  const until = 'expected UNTIL to be a date YYYYMMDD';
  const numbered = 'expected numbers in BYDAY only with FREQ=MONTHLY or FREQ=YEARLY';
  const noDate = 'expected a rule with a date after dueDate 2026-03-31';
  test.for([
    ['', form],
    ['every month', form],
    ['FREQ=DAILY;', form],
    ['FREQ=DAILY; COUNT=2', form],
    [' FREQ=DAILY', form],
    ['FREQ=DAILY\n', form],
    ['FREQ=DAILY;COUNT', form],
    ['FREQ=DAILY;BYDAY=', form],
    ['FREQ=DAILY;BYDAY=ſa', form],
    ['RRULE:FREQ=DAILY', 'expected the rule without the prefix RRULE:'],
    ['INTERVAL=2', frequency],
    ['FREQ=SECONDLY', frequency],
    ['FREQ=HOURLY', frequency],
    ['FREQ=DAILY;BYSETPOS=1', only],
    ['FREQ=DAILY;BYHOUR=9', only],
    ['FREQ=WEEKLY;WKST=SU', only],
    ['FREQ=DAILY;X-NAME=1', only],
    ['FREQ=DAILY;FREQ=DAILY', 'expected FREQ once'],
    ['FREQ=DAILY;COUNT=2;count=3', 'expected COUNT once'],
    ['FREQ=DAILY;INTERVAL=0', interval],
    ['FREQ=DAILY;INTERVAL=-1', interval],
    ['FREQ=DAILY;INTERVAL=99999999999999999999', interval],
    ['FREQ=DAILY;INTERVAL=1E3', interval],
    ['FREQ=DAILY;COUNT=0', count],
    ['FREQ=DAILY;COUNT=1,2', count],
    ['FREQ=MONTHLY;BYDAY=0MO', weekdays],
    ['FREQ=MONTHLY;BYDAY=54MO', weekdays],
    ['FREQ=MONTHLY;BYDAY=MO,,TU', weekdays],
    ['FREQ=MONTHLY;BYDAY=MONDAY', weekdays],
    ['FREQ=MONTHLY;BYMONTHDAY=0', monthDays],
    ['FREQ=MONTHLY;BYMONTHDAY=32', monthDays],
    ['FREQ=MONTHLY;BYMONTHDAY=-32', monthDays],
    ['FREQ=MONTHLY;BYMONTHDAY=1,', monthDays],
    ['FREQ=YEARLY;BYMONTH=13', months],
    ['FREQ=YEARLY;BYMONTH=-1', months],
    ['FREQ=DAILY;UNTIL=20270230', until],
    ['FREQ=DAILY;UNTIL=2027-02-28', until],
    ['FREQ=DAILY;UNTIL=20270228T000000Z', until],
    ['FREQ=DAILY;UNTIL=20271301', until],
    ['FREQ=DAILY;COUNT=2;UNTIL=20270101', 'expected COUNT or UNTIL, not both'],
    ['FREQ=DAILY;UNTIL=20260330', 'UNTIL 2026-03-30 is before dueDate 2026-03-31'],
    ['FREQ=WEEKLY;BYMONTHDAY=1', 'expected BYMONTHDAY only without FREQ=WEEKLY'],
    ['FREQ=WEEKLY;BYDAY=1MO', numbered],
    ['FREQ=DAILY;BYDAY=-1MO', numbered],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', noDate],
    ['FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30', noDate],
    ['FREQ=MONTHLY;BYMONTHDAY=31;BYMONTH=4,6,9,11', noDate],
    ['FREQ=MONTHLY;BYMONTH=2', noDate],
    ['FREQ=MONTHLY;INTERVAL=12;BYMONTH=4', noDate],
    ['FREQ=MONTHLY;BYDAY=6MO', noDate],
    ['FREQ=MONTHLY;BYDAY=1MO;BYMONTHDAY=8', noDate],
    ['FREQ=DAILY;INTERVAL=7;BYDAY=WE', noDate],
    ['FREQ=WEEKLY;INTERVAL=100000', noDate],
    ['FREQ=YEARLY;INTERVAL=974', noDate],
    ['FREQ=DAILY;INTERVAL=9007199254740991', noDate],
  ])('%j is rejected: %s', ([recurrence = '', message = '']) => {
    expect(validateRecurrence({ recurrence, dueDate: '2026-03-31' })).toMatchObject({
      code: 'unprocessable',
      message: `recurrence: ${message}`,
    });
  });

  test('needs a due date, and none needs nothing', () => {
    expect(messageOf('FREQ=DAILY', null)).toBe('recurrence: expected a dueDate, from which the rule starts');
    expect(validateRecurrence({ recurrence: null, dueDate: null })).toBeUndefined();
    expect(messageOf('FREQ=DAILY', '2999-12-31')).toBe(
      'recurrence: expected a rule with a date after dueDate 2999-12-31',
    );
  });
});
