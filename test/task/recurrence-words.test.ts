import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planOf, proposedPlan, ruleOf } from '../../app/src/components/recurrence/plan.ts';
import { ruleText } from '../../app/src/components/recurrence/words.ts';
import { validateRecurrence } from '../../entities/task/recurrence.ts';

const never = { kind: 'never' } as const;

describe('a rule in words', () => {
  test.for([
    ['FREQ=DAILY', 'Every day'],
    ['INTERVAL=2;FREQ=DAILY', 'Every 2 days'],
    ['FREQ=WEEKLY', 'Every Tuesday'],
    ['FREQ=WEEKLY;INTERVAL=2;BYDAY=MO', 'Every second Monday'],
    ['FREQ=WEEKLY;INTERVAL=3;BYDAY=MO', 'Every 3 weeks on Monday'],
    ['FREQ=WEEKLY;BYDAY=MO,TH,FR', 'Every week on Monday, Thursday, and Friday'],
    ['FREQ=MONTHLY', 'Every month on day 31'],
    ['freq=monthly;bymonthday=12', 'Every month on day 12'],
    ['FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=-1', 'Every 3 months on the last day'],
    ['FREQ=MONTHLY;BYDAY=1MO', 'Every month on the first Monday'],
    ['FREQ=MONTHLY;BYDAY=-1FR', 'Every month on the last Friday'],
    ['FREQ=YEARLY', 'Every year on Mar 31'],
    ['FREQ=YEARLY;INTERVAL=2;COUNT=3', 'Every 2 years on Mar 31, 3 tasks with this one'],
    ['FREQ=DAILY;COUNT=1', 'Every day, this task is the last one'],
    ['FREQ=DAILY;UNTIL=20271231', 'Every day, until Dec 31, 2027'],
    ['FREQ=YEARLY;BYMONTH=1', 'Custom rule FREQ=YEARLY;BYMONTH=1'],
    ['FREQ=MONTHLY;BYDAY=MO', 'Custom rule FREQ=MONTHLY;BYDAY=MO'],
    ['FREQ=MONTHLY;BYMONTHDAY=-2', 'Custom rule FREQ=MONTHLY;BYMONTHDAY=-2'],
    ['FREQ=MONTHLY;BYMONTHDAY=1;BYDAY=1MO', 'Custom rule FREQ=MONTHLY;BYMONTHDAY=1;BYDAY=1MO'],
    ['', 'Custom rule '],
  ] as const)('%s is "%s"', ([rule, words]) => {
    expect(ruleText(rule, '2026-03-31')).toBe(words);
  });

  test('has no day of a date that is unknown', () => {
    expect(
      ['FREQ=YEARLY', 'FREQ=MONTHLY', 'FREQ=WEEKLY;INTERVAL=2', 'FREQ=WEEKLY;BYDAY=MO'].map((rule) => ruleText(rule)),
    ).toEqual(['Every year', 'Every month', 'Every 2 weeks', 'Every Monday']);
  });

  test('is proposed with the due date among its days, so that only days that a month lacks are skipped', () => {
    const proposed = (unit: 'WEEKLY' | 'MONTHLY' | 'YEARLY', dueDate: string) =>
      ruleOf(proposedPlan(unit, 1, dueDate, never));
    expect(proposed('WEEKLY', '2026-03-31')).toBe('FREQ=WEEKLY;BYDAY=TU');
    expect(proposed('MONTHLY', '2026-03-31')).toBe('FREQ=MONTHLY;BYMONTHDAY=-1');
    expect(proposed('MONTHLY', '2026-02-28')).toBe('FREQ=MONTHLY;BYMONTHDAY=-1');
    expect(proposed('MONTHLY', '2028-02-28')).toBe('FREQ=MONTHLY;BYMONTHDAY=28');
    expect(proposed('YEARLY', '2026-03-31')).toBe('FREQ=YEARLY');
  });

  test('comes back from its words, and is one that a task may have', () => {
    const plan = fc.record({
      unit: fc.constantFrom('DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'),
      interval: fc.integer({ min: 1, max: 20 }),
      weekdays: fc.subarray(['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']),
      day: fc.constantFrom('', '1', '12', '31', '-1', '1MO', '4SU', '-1FR'),
      end: fc.oneof(
        fc.constant(never),
        fc.record({ kind: fc.constant('count'), count: fc.integer({ min: 1, max: 50 }) }),
        fc.constant({ kind: 'until', date: '2031-12-31' } as const),
      ),
    });
    fc.assert(
      fc.property(plan, ({ weekdays, day, ...rest }) => {
        const shown = {
          ...rest,
          weekdays: rest.unit === 'WEEKLY' ? weekdays : [],
          day: rest.unit === 'MONTHLY' ? day : '',
        };
        const rule = ruleOf(shown);
        expect(planOf(rule)).toEqual(shown);
        expect(validateRecurrence({ recurrence: rule, dueDate: '2026-03-31' })).toBeUndefined();
      }),
    );
  });
});
