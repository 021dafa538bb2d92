import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { upcomingDates } from '../../entities/task/recurrence.ts';
import { naiveDates } from '../support/fixtures/recurrence.ts';

const dates = (recurrence: string, dueDate: string, count: number) => upcomingDates({ recurrence, dueDate }, count);

/** Examples of RFC 5545, section 3.8.5.3, with these parts: DTSTART, rule, dates after DTSTART. */
const RFC_EXAMPLES: [string, string, string[]][] = [
  ['1997-09-02', 'FREQ=DAILY;COUNT=4', ['1997-09-03', '1997-09-04', '1997-09-05']],
  ['1997-12-22', 'FREQ=DAILY;UNTIL=19971224', ['1997-12-23', '1997-12-24']],
  ['1997-09-02', 'FREQ=DAILY;INTERVAL=2', ['1997-09-04', '1997-09-06', '1997-09-08']],
  ['1997-09-02', 'FREQ=DAILY;INTERVAL=10;COUNT=5', ['1997-09-12', '1997-09-22', '1997-10-02', '1997-10-12']],
  ['1998-01-30', 'FREQ=YEARLY;UNTIL=20000131;BYMONTH=1;BYDAY=SU,MO,TU,WE,TH,FR,SA', ['1998-01-31', '1999-01-01']],
  ['1998-01-30', 'FREQ=DAILY;UNTIL=20000131;BYMONTH=1', ['1998-01-31', '1999-01-01']],
  ['1997-09-02', 'FREQ=WEEKLY;COUNT=4', ['1997-09-09', '1997-09-16', '1997-09-23']],
  ['1997-12-09', 'FREQ=WEEKLY;UNTIL=19971224', ['1997-12-16', '1997-12-23']],
  ['1997-09-30', 'FREQ=WEEKLY;UNTIL=19971007;BYDAY=TU,TH', ['1997-10-02', '1997-10-07']],
  [
    '1997-09-01',
    'FREQ=WEEKLY;INTERVAL=2;UNTIL=19971224;BYDAY=MO,WE,FR',
    ['1997-09-03', '1997-09-05', '1997-09-15', '1997-09-17', '1997-09-19', '1997-09-29', '1997-10-01', '1997-10-03'],
  ],
  ['1997-09-02', 'FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,TH', ['1997-09-04', '1997-09-16', '1997-09-18']],
  ['1997-09-05', 'FREQ=MONTHLY;COUNT=5;BYDAY=1FR', ['1997-10-03', '1997-11-07', '1997-12-05', '1998-01-02']],
  ['1997-11-07', 'FREQ=MONTHLY;UNTIL=19971224;BYDAY=1FR', ['1997-12-05']],
  [
    '1997-09-07',
    'FREQ=MONTHLY;INTERVAL=2;COUNT=6;BYDAY=1SU,-1SU',
    ['1997-09-28', '1997-11-02', '1997-11-30', '1998-01-04', '1998-01-25'],
  ],
  ['1997-09-22', 'FREQ=MONTHLY;COUNT=4;BYDAY=-2MO', ['1997-10-20', '1997-11-17', '1997-12-22']],
  ['1997-09-28', 'FREQ=MONTHLY;BYMONTHDAY=-3', ['1997-10-29', '1997-11-28', '1997-12-29', '1998-01-29', '1998-02-26']],
  ['1997-09-02', 'FREQ=MONTHLY;COUNT=4;BYMONTHDAY=2,15', ['1997-09-15', '1997-10-02', '1997-10-15']],
  ['1997-09-30', 'FREQ=MONTHLY;COUNT=5;BYMONTHDAY=1,-1', ['1997-10-01', '1997-10-31', '1997-11-01', '1997-11-30']],
  ['1997-09-14', 'FREQ=MONTHLY;INTERVAL=18;BYMONTHDAY=10,11,12,13,14,15', ['1997-09-15', '1999-03-10', '1999-03-11']],
  [
    '1997-09-30',
    'FREQ=MONTHLY;INTERVAL=2;BYDAY=TU',
    ['1997-11-04', '1997-11-11', '1997-11-18', '1997-11-25', '1998-01-06'],
  ],
  ['1997-06-10', 'FREQ=YEARLY;COUNT=4;BYMONTH=6,7', ['1997-07-10', '1998-06-10', '1998-07-10']],
  [
    '1997-03-10',
    'FREQ=YEARLY;INTERVAL=2;COUNT=5;BYMONTH=1,2,3',
    ['1999-01-10', '1999-02-10', '1999-03-10', '2001-01-10'],
  ],
  ['1997-05-19', 'FREQ=YEARLY;BYDAY=20MO', ['1998-05-18', '1999-05-17']],
  [
    '1997-03-27',
    'FREQ=YEARLY;BYMONTH=3;BYDAY=TH',
    ['1998-03-05', '1998-03-12', '1998-03-19', '1998-03-26', '1999-03-04'],
  ],
  ['1997-08-28', 'FREQ=YEARLY;BYDAY=TH;BYMONTH=6,7,8', ['1998-06-04', '1998-06-11']],
  ['1997-09-02', 'FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13', ['1998-02-13', '1998-03-13', '1998-11-13', '1999-08-13']],
  ['1997-09-13', 'FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13', ['1997-10-11', '1997-11-08', '1997-12-13']],
  ['1996-11-05', 'FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8', ['2000-11-07', '2004-11-02']],
  ['2007-01-15', 'FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5', ['2007-01-30', '2007-02-15', '2007-03-15', '2007-03-30']],
];

describe('the dates of a rule', () => {
  test.for(RFC_EXAMPLES)('from %s for %s are those of RFC 5545', ([dueDate, recurrence, expected]) => {
    expect(dates(recurrence, dueDate, expected.length)).toEqual(expected);
    const count = /COUNT=(?<count>\d+)/u.exec(recurrence)?.groups?.['count'];
    if (count !== undefined) expect(dates(recurrence, dueDate, 100)).toHaveLength(Number(count) - 1);
  });

  test('are only in months that have the day', () => {
    expect(dates('FREQ=MONTHLY', '2026-12-31', 3)).toEqual(['2027-01-31', '2027-03-31', '2027-05-31']);
    expect(dates('FREQ=MONTHLY;BYMONTHDAY=-1', '2027-01-31', 3)).toEqual(['2027-02-28', '2027-03-31', '2027-04-30']);
    expect(dates('FREQ=MONTHLY;BYMONTHDAY=-31', '2027-01-01', 2)).toEqual(['2027-03-01', '2027-05-01']);
    expect(dates('FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=-1', '2027-03-31', 3)).toEqual([
      '2027-06-30',
      '2027-09-30',
      '2027-12-31',
    ]);
  });

  test('on 29 February are only in leap years', () => {
    expect(dates('FREQ=YEARLY', '2088-02-29', 4)).toEqual(['2092-02-29', '2096-02-29', '2104-02-29', '2108-02-29']);
    expect(dates('FREQ=YEARLY;INTERVAL=3', '2024-02-29', 2)).toEqual(['2036-02-29', '2048-02-29']);
    // 29 February is a Monday each 28 years, and in each third of these years that is a multiple of 3 after the start.
    expect(dates('FREQ=YEARLY;INTERVAL=3;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO', '2016-02-29', 1)).toEqual(['2112-02-29']);
  });

  test('count weeks from Monday, also over the end of a year', () => {
    expect(dates('FREQ=WEEKLY;INTERVAL=2;BYDAY=SU', '2026-12-30', 2)).toEqual(['2027-01-03', '2027-01-17']);
    expect(dates('FREQ=WEEKLY;INTERVAL=2;BYDAY=MO', '2026-12-30', 2)).toEqual(['2027-01-11', '2027-01-25']);
    expect(dates('FREQ=WEEKLY;BYDAY=MO,SU', '2020-12-28', 3)).toEqual(['2021-01-03', '2021-01-04', '2021-01-10']);
  });

  test('begin after the due date, which may be none of them', () => {
    expect(dates('FREQ=MONTHLY;BYMONTHDAY=-1', '2027-01-15', 2)).toEqual(['2027-01-31', '2027-02-28']);
    expect(dates('FREQ=WEEKLY;BYDAY=MO', '2027-01-06', 1)).toEqual(['2027-01-11']);
  });

  test('are those of numbered weekdays and of the others, and of both days and weekdays', () => {
    expect(dates('FREQ=MONTHLY;BYDAY=1MO,FR', '2027-01-01', 3)).toEqual(['2027-01-04', '2027-01-08', '2027-01-15']);
    expect(dates('FREQ=YEARLY;BYDAY=1MO,FR', '2027-01-01', 3)).toEqual(['2027-01-04', '2027-01-08', '2027-01-15']);
    expect(dates('FREQ=YEARLY;BYDAY=-53FR', '2027-01-01', 2)).toEqual(['2032-01-02', '2038-01-01']);
    expect(dates('FREQ=YEARLY;BYDAY=1MO;BYMONTHDAY=4', '2027-01-01', 2)).toEqual(['2027-01-04', '2038-01-04']);
  });

  test('are at most COUNT with that of the task, UNTIL is one of them, and the last year is 2999', () => {
    expect(dates('FREQ=DAILY;COUNT=1', '2027-01-01', 3)).toEqual([]);
    expect(dates('FREQ=DAILY;COUNT=3', '2027-01-01', 3)).toEqual(['2027-01-02', '2027-01-03']);
    expect(dates('FREQ=DAILY;UNTIL=20270102', '2027-01-01', 3)).toEqual(['2027-01-02']);
    expect(dates('FREQ=DAILY;UNTIL=99991231', '2999-12-30', 3)).toEqual(['2999-12-31']);
    expect(dates('FREQ=DAILY', '2027-01-01', 0)).toEqual([]);
  });

  test('are those that a check of each day finds, for any rule', () => {
    const list = <T>(...values: T[]) =>
      fc.option(fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 4 }), { nil: undefined });
    const rule = fc.record({
      frequency: fc.constantFrom('DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'),
      interval: fc.integer({ min: 1, max: 8 }),
      months: list(1, 2, 3, 4, 6, 7, 11, 12),
      monthDays: list(1, 2, 7, 13, 28, 29, 30, 31, -1, -2, -28, -29, -31),
      weekdays: list('MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'),
      numbers: fc.array(fc.constantFrom('', '1', '+2', '4', '5', '6', '52', '53', '-1', '-5', '-53'), {
        minLength: 4,
        maxLength: 4,
      }),
      dueDate: fc.date({ min: new Date('1996-01-01'), max: new Date('2034-01-01'), noInvalidDate: true }),
    });
    fc.assert(
      fc.property(rule, ({ frequency, interval, months, monthDays, weekdays, numbers, dueDate }) => {
        const isNumbered = frequency === 'MONTHLY' || frequency === 'YEARLY';
        const byDay = weekdays?.map((day, index) => `${isNumbered ? numbers[index] : ''}${day}`);
        const lists = { BYMONTH: months, BYMONTHDAY: frequency === 'WEEKLY' ? undefined : monthDays, BYDAY: byDay };
        const parts = Object.entries(lists).flatMap(([name, values]) =>
          values === undefined ? [] : [`${name}=${values.join(',')}`],
        );
        const recurrence = [`FREQ=${frequency}`, `INTERVAL=${interval}`, ...parts].join(';');
        const start = dueDate.toISOString().slice(0, 10);
        const until = `${dueDate.getUTCFullYear() + 9}-12-31`;
        const found = dates(`${recurrence};UNTIL=${until.replaceAll('-', '')}`, start, 6);
        expect(found).toEqual(naiveDates(recurrence, start, until, 6));
      }),
      { numRuns: 300 },
    );
  });
});
