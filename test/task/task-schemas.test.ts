import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { createSchema } from 'zod-openapi';
import { NewTask, TaskId, TaskIdAsOf, TaskChanges, TaskOutput } from '../../procedures/task/schemas.ts';

// Unit tests of the task schemas. task.test.ts tests the same rules through the API.

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
  vendors: [],
  requirements: [],
  recurrence: null,
  assigneeId: null,
  reviewerId: null,
  needsEvidence: false,
};

/** Validation issues of an input as `field: message`, or undefined if the input is valid. */
const issuesOf = (schema: z.ZodType, input: unknown) =>
  schema.safeParse(input).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
/** Issues of one field. NewTask and TaskChanges must report the same issues. */
const fieldIssues = (field: string, value: unknown) => {
  const [created, changed] = [
    issuesOf(NewTask, { ...REQUIRED_FIELDS, [field]: value }),
    issuesOf(TaskChanges, { taskUniqueId: TASK_ID, [field]: value }),
  ];
  expect(changed).toEqual(created);
  return created;
};

test('a new task requires framework and title, and has defaults for all other fields', () => {
  expect(NewTask.parse(REQUIRED_FIELDS)).toEqual(DEFAULTS);
  expect(issuesOf(NewTask, {})).toEqual(['framework: required', 'title: required']);
  expect(issuesOf(NewTask, { ...REQUIRED_FIELDS, company: 8 })).toEqual([': unknown field']);
  expect(issuesOf(NewTask, { ...REQUIRED_FIELDS, status: 'done' })).toEqual([
    expect.stringMatching(/^: unknown field; a new task is todo/),
  ]);
});

test('a task change has no defaults and requires no field except the task id', () => {
  expect(TaskChanges.parse({ taskUniqueId: TASK_ID })).toEqual({ taskUniqueId: TASK_ID });
  const { framework: _, ...all } = { ...DEFAULTS, status: 'done' };
  expect(TaskChanges.parse({ taskUniqueId: TASK_ID, ...all })).toEqual({ taskUniqueId: TASK_ID, ...all });
  expect(issuesOf(TaskChanges, {})).toEqual(['taskUniqueId: required']);
  expect(issuesOf(TaskChanges, { taskUniqueId: TASK_ID, framework: 2 })).toEqual([': unknown field; it is read-only']);
});

describe('the schema validates', () => {
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
    const labels = (input: unknown) => NewTask.parse({ ...REQUIRED_FIELDS, labels: input }).labels;
    expect(labels([' Access ', 'ACCESS', 'risk', 'access', 'Risk'])).toEqual(['Access', 'risk']);
    expect(labels(['x'.repeat(50)])).toEqual(['x'.repeat(50)]);
    expect(fieldIssues('labels', ['x'.repeat(51)])).toEqual(['labels.0: expected text of 1 to 50 characters']);
    expect(fieldIssues('labels', ['a', ' '])).toEqual(['labels.1: expected text of 1 to 50 characters']);
    expect(fieldIssues('labels', 'a')).toEqual(['labels: expected an array of text']);
    expect(fieldIssues('labels', null)).toEqual(['labels: expected an array of text']);
    const distinct = Array.from({ length: 21 }, (_, index) => `label ${index}`);
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
    // The schema accepts too many gaps and duplicates: `validateGaps` rejects them with 422.
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

test('TaskId rejects asOf, and TaskIdAsOf converts it to UTC', () => {
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

describe('the OpenAPI document', () => {
  const componentSchema = (schema: z.ZodType, name: string) => createSchema(schema, { io: 'input' }).components[name];
  const day = { type: 'string', format: 'date', maxLength: 10, examples: [expect.stringMatching(/^\d{4}-\d\d-\d\d$/)] };

  test('contains the limits and descriptions of the fields of a new task', () => {
    expect(componentSchema(NewTask, 'NewTask')).toMatchObject({
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
        dueDate: { anyOf: [day, { type: 'null' }], description: expect.stringContaining('not before startDate') },
        departmentId: { anyOf: [{ description: expect.stringContaining('not archived') }, { type: 'null' }] },
        gaps: {
          maxItems: 100,
          items: { description: expect.stringContaining('not archived') },
          description: expect.stringContaining('each once'),
        },
      },
    });
    expect(JSON.stringify(componentSchema(NewTask, 'NewTask'))).not.toContain('pattern');
    expect(createSchema(TaskIdAsOf, { io: 'input' }).schema).toMatchObject({
      properties: {
        taskUniqueId: { description: expect.stringContaining('uniqueId') },
        asOf: { description: expect.stringContaining('audit:read') },
      },
    });
  });

  test('contains the limits and examples of the fields of a returned task', () => {
    const taskSchema = componentSchema(TaskOutput, 'Task');
    expect(taskSchema).toMatchObject({
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
    expect(taskSchema).toHaveProperty('required', Object.keys(TaskOutput.shape));
  });
});
