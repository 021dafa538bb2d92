import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { createSchema } from 'zod-openapi';
import { NewTask, TaskId, TaskIdAsOf, TaskChanges, TaskOutput } from '../../procedures/task/schemas.ts';

// What a task takes, without the service around it. task.test.ts holds the service to it.

const TASK_ID = '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071';
const REQUIRED_FIELDS = { framework: 1, title: 'Review' };
const DEFAULTS = {
  ...REQUIRED_FIELDS,
  description: '',
  priority: 3,
  labels: [],
  startDate: null,
  dueDate: null,
  departmentId: null,
  gaps: [],
};

/** What is wrong with an input, by field; undefined when nothing is. */
const issuesOf = (schema: z.ZodType, input: unknown) =>
  schema.safeParse(input).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
/** The same of one field, in a task that is made and in one that is changed. */
const fieldIssues = (field: string, value: unknown) => {
  const [made, changed] = [
    issuesOf(NewTask, { ...REQUIRED_FIELDS, [field]: value }),
    issuesOf(TaskChanges, { taskUniqueId: TASK_ID, [field]: value }),
  ];
  expect(changed).toEqual(made);
  return made;
};

test('a new task has defaults for all but its framework and title', () => {
  expect(NewTask.parse(REQUIRED_FIELDS)).toEqual(DEFAULTS);
  expect(issuesOf(NewTask, {})).toEqual(['framework: required', 'title: required']);
  expect(issuesOf(NewTask, { ...REQUIRED_FIELDS, company: 8 })).toEqual([': Unrecognized key: "company"']);
  expect(issuesOf(NewTask, { ...REQUIRED_FIELDS, status: 'done' })).toEqual([': Unrecognized key: "status"']);
});

test('a change has no defaults, and none of its fields is required', () => {
  expect(TaskChanges.parse({ taskUniqueId: TASK_ID })).toEqual({ taskUniqueId: TASK_ID });
  const { framework: _, ...all } = { ...DEFAULTS, status: 'done' };
  expect(TaskChanges.parse({ taskUniqueId: TASK_ID, ...all })).toEqual({ taskUniqueId: TASK_ID, ...all });
  expect(issuesOf(TaskChanges, {})).toEqual(['taskUniqueId: required']);
  expect(issuesOf(TaskChanges, { taskUniqueId: TASK_ID, framework: 2 })).toEqual([': Unrecognized key: "framework"']);
});

describe('a field is held to its rule:', () => {
  test('title', () => {
    expect(NewTask.parse({ ...REQUIRED_FIELDS, title: ' Review ' }).title).toBe('Review');
    expect(fieldIssues('title', ' ')).toEqual(['title: expected text of 1 to 255 characters']);
  });

  test('description', () => {
    expect(NewTask.parse({ ...REQUIRED_FIELDS, description: '<p onclick="x">y</p>' }).description).toBe('<p>y</p>');
    expect(fieldIssues('description', 1)).toEqual(['description: expected text of at most 20000 characters']);
  });

  test('priority', () => {
    for (const priority of [1, 2, 3, 4]) expect(fieldIssues('priority', priority)).toBeUndefined();
    for (const priority of [0, 5, 1.5, '1', null]) {
      expect(fieldIssues('priority', priority)).toEqual(['priority: expected an integer from 1 to 4']);
    }
  });

  test('status', () => {
    const ALL = ['todo', 'in_progress', 'in_review', 'done', 'not_applicable', 'canceled'];
    for (const status of ALL) expect(issuesOf(TaskChanges, { taskUniqueId: TASK_ID, status })).toBeUndefined();
    for (const status of ['', 'open', 'Todo', null, 1]) {
      expect(issuesOf(TaskChanges, { taskUniqueId: TASK_ID, status })).toEqual([
        `status: expected one of ${ALL.join(', ')}`,
      ]);
    }
  });

  test('labels', () => {
    const labels = (given: unknown) => NewTask.parse({ ...REQUIRED_FIELDS, labels: given }).labels;
    expect(labels([' Access ', 'ACCESS', 'risk', 'access', 'Risk'])).toEqual(['Access', 'risk']);
    expect(labels(['x'.repeat(50)])).toEqual(['x'.repeat(50)]);
    expect(fieldIssues('labels', ['x'.repeat(51)])).toEqual(['labels.0: expected text of 1 to 50 characters']);
    expect(fieldIssues('labels', ['a', ' '])).toEqual(['labels.1: expected text of 1 to 50 characters']);
    expect(fieldIssues('labels', 'a')).toEqual(['labels: expected an array of text']);
    expect(fieldIssues('labels', null)).toEqual(['labels: expected an array of text']);
    const distinct = Array.from({ length: 21 }, (_, at) => `label ${at}`);
    expect(labels(distinct.slice(1))).toHaveLength(20);
    expect(fieldIssues('labels', distinct)).toEqual(['labels: expected at most 20 labels']);
  });

  test.for(['startDate', 'dueDate'])('%s', (field) => {
    for (const day of ['1900-01-01', '2024-02-29', '2999-12-31', null]) expect(fieldIssues(field, day)).toBeUndefined();
    const days = ['1899-12-31', '3000-01-01', '2023-02-29', '2026-1-1', '2026-06-30T12:00:00Z', '', 20_260_630];
    for (const day of days) {
      expect(fieldIssues(field, day)).toContain(`${field}: expected a calendar date YYYY-MM-DD from 1900 to 2999`);
    }
  });

  test('departmentId', () => {
    for (const id of [1, null]) expect(fieldIssues('departmentId', id)).toBeUndefined();
    for (const id of [0, '1']) {
      expect(fieldIssues('departmentId', id)).toEqual(['departmentId: expected an integer from 1 to 2147483647']);
    }
  });

  test('gaps', () => {
    // How many there may be, and that each is there once, is a rule of the task: 422.
    for (const gaps of [[], [1, 2_147_483_647], Array.from({ length: 101 }, () => 1)]) {
      expect(fieldIssues('gaps', gaps)).toBeUndefined();
    }
    expect(fieldIssues('gaps', [1, 0])).toEqual(['gaps.1: expected an integer from 1 to 2147483647']);
    for (const gaps of [1, '1', null])
      expect(fieldIssues('gaps', gaps)).toEqual(['gaps: expected an array of integers']);
  });

  test('framework', () => {
    expect(issuesOf(NewTask, { ...REQUIRED_FIELDS, framework: 'x' })).toEqual(['framework: expected an integer']);
  });
});

test('one task is named, at a moment or now', () => {
  expect(TaskId.parse({ taskUniqueId: TASK_ID })).toEqual({ taskUniqueId: TASK_ID });
  expect(issuesOf(TaskId, {})).toEqual(['taskUniqueId: required']);
  expect(issuesOf(TaskId, { taskUniqueId: TASK_ID, asOf: '2026-06-30T12:00:00Z' })).toHaveLength(1);
  expect(TaskIdAsOf.parse({ taskUniqueId: TASK_ID })).toEqual({ taskUniqueId: TASK_ID });
  expect(TaskIdAsOf.parse({ taskUniqueId: TASK_ID, asOf: '2026-06-30T14:00:00+02:00' }).asOf).toBe(
    '2026-06-30T12:00:00Z',
  );
  expect(issuesOf(TaskIdAsOf, { taskUniqueId: TASK_ID, asOf: 'now' })).toHaveLength(1);
  expect(issuesOf(TaskIdAsOf, { taskUniqueId: TASK_ID, company: 8 })).toHaveLength(1);
});

describe('the document', () => {
  const told = (schema: z.ZodType, name: string) => createSchema(schema, { io: 'input' }).components[name];
  const day = { type: 'string', format: 'date', maxLength: 10, examples: [expect.stringMatching(/^\d{4}-\d\d-\d\d$/)] };

  test('tells the bounds of a new task, and what its fields mean', () => {
    expect(told(NewTask, 'NewTask')).toMatchObject({
      properties: {
        framework: { minimum: 1, description: expect.stringContaining('framework manager') },
        title: { maxLength: 255, description: 'Task title' },
        priority: {
          type: 'integer',
          format: 'int32',
          minimum: 1,
          maximum: 4,
          description: expect.stringContaining('4 low'),
        },
        labels: {
          maxItems: 20,
          items: { minLength: 1, maxLength: 50 },
          description: expect.stringContaining('dropped'),
        },
        startDate: { anyOf: [day, { type: 'null' }] },
        dueDate: { anyOf: [day, { type: 'null' }], description: expect.stringContaining('Not before') },
        departmentId: { anyOf: [{ description: expect.stringContaining('not archived') }, { type: 'null' }] },
        gaps: {
          maxItems: 100,
          items: { description: expect.stringContaining('not archived') },
          description: expect.stringContaining('each once'),
        },
      },
    });
    expect(JSON.stringify(told(NewTask, 'NewTask'))).not.toContain('pattern');
    expect(createSchema(TaskIdAsOf, { io: 'input' }).schema).toMatchObject({
      properties: {
        taskUniqueId: { description: expect.stringContaining('uniqueId') },
        asOf: { description: expect.stringContaining('audit:read') },
      },
    });
  });

  test('tells what a task shows', () => {
    const shown = told(TaskOutput, 'Task');
    expect(shown).toMatchObject({
      properties: {
        uniqueId: { format: 'uuid' },
        framework: { minimum: 1 },
        title: { maxLength: 255, examples: [expect.stringMatching(/\w/)] },
        description: { maxLength: 20_000, examples: [expect.stringMatching(/\w/)] },
        priority: { minimum: 1, maximum: 4, examples: [2] },
        labels: { maxItems: 20, items: { maxLength: 50, examples: [expect.stringMatching(/\w/)] } },
        gaps: { maxItems: 100 },
        version: { minimum: 1 },
      },
    });
    expect(shown).toHaveProperty('required', Object.keys(TaskOutput.shape));
  });
});
