import { describe, expect, test } from 'vitest';
import { OPEN_STATUSES, TASK_STATUSES, applyTaskChanges, taskResource } from '../../entities/task/task.ts';
import { dedupeLabels } from '../../entities/fields/labels.ts';
import type { TaskFields, TaskStatus } from '../../entities/task/task.ts';
import { applyVendorChanges, statusConflict, vendorResource } from '../../entities/vendor/vendor.ts';
import type { VendorChanges, VendorFields, VendorStatus } from '../../entities/vendor/vendor.ts';

// Unit tests of the task and vendor rules. task.test.ts and vendor.test.ts test the same rules through the API.

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
  assigneeId: null,
  vendors: [],
  requirements: [],
  recurrence: null,
  reviewerId: null,
  needsEvidence: false,
  seriesDate: null,
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
  assigneeId: '019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51',
  vendors: ['019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072'],
  requirements: [],
  recurrence: 'FREQ=MONTHLY',
  reviewerId: '019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f52',
  needsEvidence: true,
  seriesDate: '2026-07-01',
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

describe('applyTaskChanges', () => {
  test('keeps the fields that are not in the change', () => {
    expect(applyTaskChanges(TASK, {})).toEqual(TASK);
    const allUndefined = Object.fromEntries(Object.keys(TASK).map((field) => [field, undefined]));
    expect(applyTaskChanges(TASK, allUndefined)).toEqual(TASK);
  });

  test('changes one field or all fields', () => {
    expect(applyTaskChanges(TASK, OTHER_TASK)).toEqual(OTHER_TASK);
    const changes: Partial<TaskFields>[] = [
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
      { vendors: ['019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072'] },
      { recurrence: 'FREQ=YEARLY', seriesDate: '2026-06-30' },
    ];
    for (const change of changes) expect(applyTaskChanges(TASK, change)).toEqual({ ...TASK, ...change });
  });

  test('rejects a dueDate before startDate', () => {
    expect(thrownBy(() => applyTaskChanges(TASK, { dueDate: '2026-05-31' }))).toEqual(
      apiError('unprocessable', 'dueDate: 2026-05-31 is before startDate 2026-06-01'),
    );
    expect(thrownBy(() => applyTaskChanges(TASK, { startDate: '2026-07-01' }))).toEqual(
      apiError('unprocessable', 'dueDate: 2026-06-30 is before startDate 2026-07-01'),
    );
    expect(applyTaskChanges(TASK, { startDate: null, dueDate: '1900-01-01' })).toMatchObject({ dueDate: '1900-01-01' });
    expect(applyTaskChanges(TASK, { startDate: '2999-12-31', dueDate: null })).toMatchObject({ dueDate: null });
  });

  test('allows any status after an open one, and only an open one after a closed one', () => {
    const open: TaskStatus[] = ['todo', 'in_progress', 'in_review'];
    expect(OPEN_STATUSES).toEqual(open);
    for (const from of TASK_STATUSES) {
      for (const to of TASK_STATUSES) {
        const allowed = from === to || open.includes(from) || open.includes(to);
        expect(thrownBy(() => applyTaskChanges({ ...TASK, status: from }, { status: to }))).toEqual(
          allowed
            ? undefined
            : apiError(
                'conflict',
                `status: ${from} cannot become ${to}; reopen it with todo, in_progress or in_review first`,
              ),
        );
      }
    }
  });

  test('reports an invalid field before an invalid status transition', () => {
    const done: TaskFields = { ...TASK, status: 'done' };
    expect(thrownBy(() => applyTaskChanges(done, { status: 'in_review', gaps: [1, 1] }))).toMatchObject({
      code: 'unprocessable',
    });
  });
});

describe('task validation', () => {
  test('accepts at most 100 gaps and rejects duplicate ids', () => {
    const idsUpTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
    const duplicateError = apiError('unprocessable', 'gaps: expected each id once');
    const tooManyError = apiError('unprocessable', 'gaps: expected at most 100');
    for (const gaps of [[], [1], idsUpTo(100)]) expect(taskResource.validate({ gaps })).toBeUndefined();
    expect(taskResource.validate({ gaps: [1, 2, 1] })).toEqual(duplicateError);
    expect(taskResource.validate({ gaps: idsUpTo(101) })).toEqual(tooManyError);
    expect(taskResource.validate({ gaps: idsUpTo(101).fill(1) })).toEqual(tooManyError);
    expect(taskResource.validate({ ...TASK, gaps: [1, 1] })).toEqual(duplicateError);
  });

  test('accepts a missing date and rejects a dueDate before startDate', () => {
    expect(taskResource.validate(TASK)).toBeUndefined();
    expect(taskResource.validate({ ...TASK, dueDate: '2026-06-01' })).toBeUndefined();
    expect(taskResource.validate({ ...TASK, startDate: null })).toBeUndefined();
    expect(taskResource.validate({ ...TASK, dueDate: null })).toBeUndefined();
    expect(taskResource.validate({ ...TASK, dueDate: '2026-05-31' })).toMatchObject({ code: 'unprocessable' });
  });
});

test('dedupeLabels keeps the first of labels that differ only in case, in order', () => {
  expect(dedupeLabels(['b', 'A', 'B', 'a', 'c', 'C'])).toEqual(['b', 'A', 'c']);
  expect(dedupeLabels(['É', 'é', 'e'])).toEqual(['É', 'e']);
  expect(dedupeLabels([])).toEqual([]);
});

describe('applyVendorChanges', () => {
  const VENDOR: VendorFields = { ...vendorResource.defaults, name: 'Cloud Ltd', description: '<p>x</p>' };

  test('keeps the fields that are not in the change', () => {
    for (const status of ['active', 'inactive', 'archived'] as const) {
      expect(applyVendorChanges({ ...VENDOR, status }, {})).toEqual({ ...VENDOR, status });
    }
    expect(applyVendorChanges(VENDOR, { name: 'Other' })).toEqual({ ...VENDOR, name: 'Other' });
    expect(applyVendorChanges(VENDOR, { description: '' })).toEqual({ ...VENDOR, description: '' });
  });

  test('sets the status from `active` or `status`', () => {
    const after = (status: VendorStatus, change: VendorChanges) =>
      applyVendorChanges({ ...VENDOR, status }, change).status;
    const all = ['active', 'inactive', 'archived'] as const;
    expect(all.map((from) => after(from, { active: true }))).toEqual(['active', 'active', 'active']);
    expect(all.map((from) => after(from, { active: false }))).toEqual(['inactive', 'inactive', 'archived']);
    for (const to of all) expect(all.map((from) => after(from, { status: to }))).toEqual([to, to, to]);
    expect(after('active', { active: false, status: 'archived' })).toBe('archived');
    expect(after('archived', { active: false, status: 'inactive' })).toBe('inactive');
  });

  test('rejects `active` and `status` that contradict each other', () => {
    const consistent: VendorChanges[] = [
      {},
      { active: true },
      { active: false },
      { status: 'active' },
      { status: 'archived' },
      { active: true, status: 'active' },
      { active: false, status: 'inactive' },
      { active: false, status: 'archived' },
    ];
    for (const change of consistent) expect(statusConflict(change)).toBeUndefined();
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
