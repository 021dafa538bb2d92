import { describe, expect, test } from 'vitest';
import { timeZoneInput, todayIn } from '../../procedures/schemas/time-zone.ts';

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
