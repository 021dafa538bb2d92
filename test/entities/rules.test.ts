import { describe, expect, test } from 'vitest';
import { notBefore, requires, ruleCheck, violationOf } from '../../entities/fields/rules.ts';
import type { Rule } from '../../entities/fields/rules.ts';
import { sql } from '../support/database/database.ts';

// A rule is a condition in SQL and a message in TypeScript. Each kind of rule says the same in both.

const DATES = ['2026-01-05', '2026-02-27', '2026-03-01', null];
const PAIRS = DATES.flatMap((first) => DATES.map((second) => ({ first, second })));

const RULES: [string, Rule<'first' | 'second'>][] = [
  ['a date that is not before another', notBefore('first', 'second')],
  ['a field that requires another', requires('first', 'second', 'from which it counts')],
];

test.for(RULES)('%s: SQL and TypeScript find the same violations', async ([, rule]) => {
  for (const pair of PAIRS) {
    const condition = rule.condition((field) => (pair[field] === null ? 'null::date' : `'${pair[field]}'::date`));
    const [row] = await sql<{ holds: boolean }>(`select (${condition}) is not false as holds`);
    expect({ ...pair, holds: rule.violation(pair) === undefined }).toEqual({ ...pair, holds: row?.holds });
  }
});

describe('a rule', () => {
  test('names the fields and their values in its error', () => {
    const rules = [notBefore('end', 'start'), requires('end', 'reason', 'why it ends')];
    const end = '2026-01-05';
    expect(violationOf(rules, { start: '2026-02-27', end, reason: null })).toMatchObject({
      code: 'unprocessable',
      message: 'end: 2026-01-05 is before start 2026-02-27',
    });
    expect(violationOf(rules, { start: null, end, reason: null })?.message).toBe('end: expected a reason, why it ends');
    expect(violationOf(rules, { start: end, end, reason: 'moved' })).toBeUndefined();
  });

  test('is a check of the table with the columns of its fields', () => {
    expect(ruleCheck('vendor', notBefore('contractEnd', 'contractStart'))).toEqual({
      name: 'vendor_contract_end_not_before_contract_start',
      expression: 'contract_end >= contract_start',
    });
    const columnOf = (field: string) => `${field}_on`;
    expect(ruleCheck('visit', notBefore('end', 'start', 'order'), columnOf)).toEqual({
      name: 'visit_order',
      expression: 'end_on >= start_on',
    });
  });
});
