import { describe, expect, test } from 'vitest';
import {
  OPEN_STATUSES,
  TASK_STATUSES,
  applyTaskChanges,
  validateTask,
  validateGaps,
  dedupeLabels,
} from '../../entities/task.ts';
import type { TaskChanges, TaskFields, TaskStatus } from '../../entities/task.ts';
import { applyVendorChanges, statusConflict, vendorResource } from '../../entities/vendor.ts';
import type { VendorChanges, VendorFields, VendorStatus } from '../../entities/vendor.ts';

// The rules of tasks and vendors alone: task.test.ts and vendor.test.ts hold the service to them.

const TASK: TaskFields = {
  title: 'Review',
  description: '<p>x</p>',
  priority: 2,
  labels: ['access'],
  startDate: '2026-06-01',
  dueDate: '2026-06-30',
  departmentId: 3,
  gaps: [4, 5],
  status: 'todo',
};
const OTHER_TASK: TaskFields = {
  title: 'Renew',
  description: '',
  priority: 4,
  labels: [],
  startDate: '2026-07-01',
  dueDate: '2026-07-01',
  departmentId: 9,
  gaps: [],
  status: 'done',
};

const apiError = (code: string, message: string) => expect.objectContaining({ name: 'ApiError', code, message });
const thrownBy = (work: () => void): unknown => {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
};

describe('a change of a task', () => {
  test('leaves what it does not give', () => {
    expect(applyTaskChanges(TASK, {})).toEqual(TASK);
    const nothing = Object.fromEntries(Object.keys(TASK).map((field) => [field, undefined]));
    expect(applyTaskChanges(TASK, nothing)).toEqual(TASK);
  });

  test('gives each field by itself, and all together', () => {
    expect(applyTaskChanges(TASK, OTHER_TASK)).toEqual(OTHER_TASK);
    const changes: TaskChanges[] = [
      { title: 'Renew' },
      { description: '' },
      { priority: 4 },
      { labels: [] },
      { startDate: null },
      { startDate: '2026-06-30' },
      { dueDate: null },
      { dueDate: '2026-06-01' },
      { departmentId: null },
      { departmentId: 9 },
      { gaps: [] },
      { status: 'done' },
    ];
    for (const change of changes) expect(applyTaskChanges(TASK, change)).toEqual({ ...TASK, ...change });
  });

  test('makes it end no earlier than it starts', () => {
    expect(thrownBy(() => applyTaskChanges(TASK, { dueDate: '2026-05-31' }))).toEqual(
      apiError('unprocessable', 'dueDate: 2026-05-31 is before startDate 2026-06-01'),
    );
    expect(thrownBy(() => applyTaskChanges(TASK, { startDate: '2026-07-01' }))).toEqual(
      apiError('unprocessable', 'dueDate: 2026-06-30 is before startDate 2026-07-01'),
    );
    expect(applyTaskChanges(TASK, { startDate: null, dueDate: '1900-01-01' })).toMatchObject({ dueDate: '1900-01-01' });
    expect(applyTaskChanges(TASK, { startDate: '2999-12-31', dueDate: null })).toMatchObject({ dueDate: null });
  });

  test('from what is open to anything, from what is closed to todo or nothing else', () => {
    const open: TaskStatus[] = ['todo', 'in_progress', 'in_review'];
    expect(OPEN_STATUSES).toEqual(open);
    for (const from of TASK_STATUSES) {
      for (const to of TASK_STATUSES) {
        const may = from === to || open.includes(from) || to === 'todo';
        expect(thrownBy(() => applyTaskChanges({ ...TASK, status: from }, { status: to }))).toEqual(
          may ? undefined : apiError('conflict', `status: ${from} cannot become ${to}; reopen it with todo first`),
        );
      }
    }
  });

  test('that breaks two rules is told of its fields first', () => {
    const done: TaskFields = { ...TASK, status: 'done' };
    expect(thrownBy(() => applyTaskChanges(done, { status: 'in_review', gaps: [1, 1] }))).toMatchObject({
      code: 'unprocessable',
    });
  });
});

describe('fields of a task agree', () => {
  test('on gaps: each once, and a hundred at most', () => {
    const upTo = (most: number) => Array.from({ length: most }, (_, at) => at + 1);
    const once = apiError('unprocessable', 'gaps: expected each id once');
    const most = apiError('unprocessable', 'gaps: expected at most 100');
    for (const gaps of [[], [1], upTo(100)]) expect(validateGaps(gaps)).toBeUndefined();
    expect(validateGaps([1, 2, 1])).toEqual(once);
    expect(validateGaps(upTo(101))).toEqual(most);
    expect(validateGaps(upTo(101).fill(1))).toEqual(most);
    expect(validateTask({ ...TASK, gaps: [1, 1] })).toEqual(once);
  });

  test('on dates: either may be missing', () => {
    expect(validateTask(TASK)).toBeUndefined();
    expect(validateTask({ ...TASK, dueDate: '2026-06-01' })).toBeUndefined();
    expect(validateTask({ ...TASK, startDate: null })).toBeUndefined();
    expect(validateTask({ ...TASK, dueDate: null })).toBeUndefined();
    expect(validateTask({ ...TASK, dueDate: '2026-05-31' })).toMatchObject({ code: 'unprocessable' });
  });
});

test('of labels that differ in case only the first stays, in its place', () => {
  expect(dedupeLabels(['b', 'A', 'B', 'a', 'c', 'C'])).toEqual(['b', 'A', 'c']);
  expect(dedupeLabels(['É', 'é', 'e'])).toEqual(['É', 'e']);
  expect(dedupeLabels([])).toEqual([]);
});

describe('a change of a vendor', () => {
  const VENDOR: VendorFields = {
    ...vendorResource.defaults,
    name: 'Cloud Ltd',
    description: '<p>x</p>',
  };

  test('leaves what it does not give', () => {
    for (const status of ['active', 'inactive', 'archived'] as const) {
      expect(applyVendorChanges({ ...VENDOR, status }, {})).toEqual({ ...VENDOR, status });
    }
    expect(applyVendorChanges(VENDOR, { name: 'Other' })).toEqual({ ...VENDOR, name: 'Other' });
    expect(applyVendorChanges(VENDOR, { description: '' })).toEqual({ ...VENDOR, description: '' });
  });

  test('says by `active` or by status what it becomes', () => {
    const after = (status: VendorStatus, change: VendorChanges) =>
      applyVendorChanges({ ...VENDOR, status }, change).status;
    const all = ['active', 'inactive', 'archived'] as const;
    expect(all.map((from) => after(from, { active: true }))).toEqual(['active', 'active', 'active']);
    expect(all.map((from) => after(from, { active: false }))).toEqual(['inactive', 'inactive', 'archived']);
    for (const to of all) expect(all.map((from) => after(from, { status: to }))).toEqual([to, to, to]);
    expect(after('active', { active: false, status: 'archived' })).toBe('archived');
    expect(after('archived', { active: false, status: 'inactive' })).toBe('inactive');
  });

  test('does not say two things', () => {
    const fine: VendorChanges[] = [
      {},
      { active: true },
      { active: false },
      { status: 'active' },
      { status: 'archived' },
      { active: true, status: 'active' },
      { active: false, status: 'inactive' },
      { active: false, status: 'archived' },
    ];
    for (const change of fine) expect(statusConflict(change)).toBeUndefined();
    const contradictions = [
      [true, 'inactive'],
      [true, 'archived'],
      [false, 'active'],
    ] as const;
    for (const [active, status] of contradictions) {
      expect(statusConflict({ active, status })).toBe(`contradicts status ${status}`);
    }
  });
});
