import { describe, expect, test } from 'vitest';
import { startOfDay, timeZoneInput, todayIn } from '../../procedures/schemas/time-zone.ts';

describe('a time zone', () => {
  test.each([
    'UTC',
    'Europe/Berlin',
    'Europe/Kiev',
    'Europe/Kyiv',
    'Asia/Calcutta',
    'Etc/GMT+5',
    'EST',
    'CET',
    'GMT',
    'utc',
    'America/Argentina/ComodRivadavia',
  ])('may be %s, which stays as it is sent', (name) => {
    expect(timeZoneInput.parse(name)).toBe(name);
  });

  test.each([
    '+02:00',
    '-05',
    '+0200',
    '',
    ' UTC',
    'UTC ',
    'Z',
    'UTC+2',
    'Mars/Olympus',
    // `Intl` takes it as Dhaka.
    'BST',
    'pst',
    'x'.repeat(65),
    2,
    null,
    ['UTC'],
  ])('cannot be %j', (name) => {
    expect(timeZoneInput.safeParse(name).error?.issues.map(({ message }) => message)).toEqual([
      'expected the IANA name of a time zone such as Europe/Berlin',
    ]);
  });
});

test('the date of today depends on the time zone', () => {
  const now = new Date('2026-03-01T11:00:00Z');
  expect(['Pacific/Pago_Pago', 'UTC', 'Europe/Berlin', 'Pacific/Kiritimati'].map((zone) => todayIn(zone, now))).toEqual(
    ['2026-03-01', '2026-03-01', '2026-03-01', '2026-03-02'],
  );
  expect(todayIn('Pacific/Pago_Pago', new Date('2026-01-01T10:59:59Z'))).toBe('2025-12-31');
  expect(todayIn('UTC')).toMatch(/^\d{4}-\d\d-\d\d$/);
});

test.each([
  ['2026-07-10', 'UTC', '2026-07-10T00:00:00.000Z'],
  ['2026-07-10', 'America/Los_Angeles', '2026-07-10T07:00:00.000Z'],
  ['2026-01-10', 'Asia/Kathmandu', '2026-01-09T18:15:00.000Z'],
  ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'],
  ['2026-03-30', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
  ['2026-10-26', 'Europe/Berlin', '2026-10-25T23:00:00.000Z'],
  // The clocks skip midnight.
  ['2026-03-29', 'Asia/Beirut', '2026-03-28T22:00:00.000Z'],
  ['2026-03-08', 'America/Havana', '2026-03-08T05:00:00.000Z'],
  // They show it twice, once on the day before.
  ['2018-02-18', 'America/Sao_Paulo', '2018-02-18T03:00:00.000Z'],
  // They show the first hour of the day twice.
  ['2026-11-01', 'America/Havana', '2026-11-01T04:00:00.000Z'],
  // They skip the day before.
  ['2011-12-31', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
])('the day %s in %s begins at %s', (day, timeZone, time) => {
  const start = startOfDay(day, timeZone);
  expect(start.toISOString()).toBe(time);
  expect(todayIn(timeZone, start)).toBe(day);
  expect(todayIn(timeZone, new Date(start.getTime() - 1)) < day).toBe(true);
});
