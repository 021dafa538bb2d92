import { describe, expect, test } from 'vitest';
import { matching, outlineOf, unfolded } from '../../app/src/components/requirement/outline.ts';
import { MEASURES, changeText, valueText } from '../../app/src/pages/framework/measures.ts';
import type { Numbers } from '../../app/src/pages/framework/measures.ts';

/** Requirements in the order of lists, in which those at the top are not before all others. */
const ITEMS = [
  { uniqueId: 'A.5.1', parent: 'A.5' },
  { uniqueId: 'A.5', parent: null },
  { uniqueId: 'A.6', parent: null },
  { uniqueId: 'A.5.1.a', parent: 'A.5.1' },
  { uniqueId: 'A.5.2', parent: 'A.5' },
  { uniqueId: 'lost', parent: 'deleted meanwhile' },
];

describe('the outline of a framework', () => {
  const rows = outlineOf(ITEMS);
  const idsOf = (shown: typeof rows) => shown.map(({ item }) => item.uniqueId);

  test('has each requirement before those below it, with its level, and loses none', () => {
    expect(rows.map(({ item, level, children }) => [item.uniqueId, level, children])).toEqual([
      ['A.5', 0, 2],
      ['A.5.1', 1, 1],
      ['A.5.1.a', 2, 0],
      ['A.5.2', 1, 0],
      ['A.6', 0, 0],
      ['lost', 0, 0],
    ]);
  });

  test('leaves out all that is below a folded requirement, also what is folded there', () => {
    expect(idsOf(unfolded(rows, new Set(['A.5.1'])))).toEqual(['A.5', 'A.5.1', 'A.5.2', 'A.6', 'lost']);
    expect(idsOf(unfolded(rows, new Set(['A.5', 'A.5.1'])))).toEqual(['A.5', 'A.6', 'lost']);
  });

  test('keeps what is above a match, and nothing beside it', () => {
    expect(idsOf(matching(rows, ({ uniqueId }) => uniqueId === 'A.5.1.a'))).toEqual(['A.5', 'A.5.1', 'A.5.1.a']);
    expect(idsOf(matching(rows, () => false))).toEqual([]);
  });
});

describe('the numbers of a report', () => {
  const BEFORE: Numbers = {
    requirements: { met: 1, partlyMet: 0, notMet: 2, notAssessed: 7, notApplicable: 5 },
    tasks: {
      todo: 1,
      in_progress: 2,
      in_review: 3,
      overdue: 4,
      closedOnTime: 0,
      closedLate: 0,
    },
    evidence: { total: 0, expiring: 0, expired: 0, closedTasksWithout: 0 },
  };
  const NOW: Numbers = {
    requirements: { ...BEFORE.requirements, met: 2, notAssessed: 6 },
    tasks: { ...BEFORE.tasks, overdue: 6, in_review: 2 },
    evidence: BEFORE.evidence,
  };
  const measureOf = (label: string) => {
    const measure = MEASURES.find((one) => one.label === label);
    if (measure === undefined) throw new Error(`${label}: expected a measure`);
    return measure;
  };

  test.each([
    ['Requirements met', '2 of 10 (20 %)', '+10 points, better'],
    ['Requirements not assessed', '6', '−1, better'],
    ['Overdue tasks', '6', '+2, worse'],
    ['Open tasks', '5', '−1'],
    ['Tasks closed on time', 'None', 'no change'],
    ['Requirements not met', '2', 'no change'],
  ])('say of "%s" how many there are, and whether the change is good', (label, value, change) => {
    const measure = measureOf(label);
    expect([valueText(measure, NOW), changeText(measure, BEFORE, NOW)]).toEqual([value, change]);
  });
});
