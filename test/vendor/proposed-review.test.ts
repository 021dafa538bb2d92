import { describe, expect, test } from 'vitest';
import { dateIn, localDate, monthsLater } from '../../app/src/dates.ts';

describe('the next review that the application proposes', () => {
  test.for([
    ['2026-01-15', 12, '2027-01-15'],
    ['2026-01-31', 1, '2026-02-28'],
    ['2028-01-31', 1, '2028-02-29'],
    ['2026-08-31', 6, '2027-02-28'],
    ['2026-12-31', 60, '2031-12-31'],
  ] as const)('is after %s in %i months %s', ([date, months, expected]) => {
    expect(monthsLater(date, months)).toBe(expected);
  });

  test('counts from the day of the time zone of the company', () => {
    const now = new Date('2026-03-01T00:30:00Z');
    expect(['UTC', 'America/New_York', 'Pacific/Kiritimati'].map((zone) => dateIn(zone, now))).toEqual([
      '2026-03-01',
      '2026-02-28',
      '2026-03-01',
    ]);
    expect(dateIn('Nowhere/Else', now)).toBe(localDate(now));
  });
});
