import { EXAMPLE_IDS } from '../../entities/fields/schemas.ts';
import { taskResource } from '../../entities/task/task.ts';
import { resourceTexts } from '../document/resource-texts.ts';
import { resourceExamples } from '../document/scenario.ts';
import { TaskOutput } from './schemas.ts';

const { text, common } = resourceTexts('task');

/** Texts of the operations in the OpenAPI document. */
export const openapi = {
  ...common,
  list: text(
    'listTasks',
    'Count the tasks of a framework, or list them',
    'Returns the number of matching tasks; with `limit` also a page of them, by default newest first. ' +
      'A task must match all filters. The framework may be archived. With `Accept: text/csv` or `application/x-ndjson` the ' +
      'response is a file with all matching tasks; `limit` and `cursor` are then not allowed.',
  ),
  listAll: text(
    'listAllTasks',
    'Count the tasks of all frameworks, or list them',
    'Like the list of a framework, for all frameworks that the key may access, including archived ones. With `due`, archived ' +
      'frameworks are left out unless you name them in `framework`.',
  ),
  create: text(
    'createTask',
    'Create a task in a framework',
    'A new task has the status `todo`. Only the title is required.',
  ),
  series: text(
    'listTaskSeries',
    'List the series of a task',
    'Returns the existing tasks of the series, newest first. For a task without a series it returns the task itself.',
  ),
  update: text(
    'updateTask',
    'Change some fields of a task',
    'Omitted fields keep their value; null clears a date, the department, the assignee, the reviewer or the recurrence. ' +
      'A new due date of a recurring task moves the tasks that follow only with `moveSeries`. ' +
      'The open statuses `todo`, `in_progress` and `in_review` may change to any status. The closed statuses `done`, `not_applicable` ' +
      'and `canceled` may change only to an open one. If the task has a reviewer, only the reviewer may set `done` or `not_applicable` (409 for others). Other fields may change in any status, unless the company locks closed tasks.',
  ),
  putByExternalId: text(
    'putTaskByExternalId',
    'Create or change the task with an external id',
    'Omitted fields keep their value, or take their default in a new task, which needs a title. With `mode=replace` they take their ' +
      'default in an existing task too, except status, assignee, vendors, requirements, recurrence, reviewer, `needsEvidence`, and the due date of a recurring task. ' +
      'Nothing is written if the task already has these values. A new task may have any status. ' +
      'The id of a deleted task stays reserved (409) unless `recreate=true`.',
  ),
  getByExternalId: text(
    'getTaskByExternalId',
    'Read the task with an external id',
    'The id is compared byte for byte, within the framework.',
  ),
};

const examples = resourceExamples({
  type: 'task',
  output: TaskOutput,
  defaults: {
    ...taskResource.defaults,
    assignee: null,
    reviewer: null,
    seriesDate: null,
    previous: null,
    next: null,
    closedAt: null,
    closedBy: null,
  },
  path: { framework: 1 },
  created: {
    title: 'Review access rights',
    description: '<p>With the owner of each system.</p>',
    priority: 2,
    labels: ['access', 'quarterly'],
    startDate: '2026-12-01',
    dueDate: '2026-12-31',
  },
  changes: { priority: 1, dueDate: null, status: 'in_progress' },
  synced: { title: 'Renew the certificate', priority: 2 },
  ids: { item: EXAMPLE_IDS.task, synced: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6073' },
  events: {
    created: ['019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6081', '7d0f4f0e-5a0c-4c57-8d7e-3a52f1c9b6e1'],
    changed: ['019a2b65-803e-7a11-9c2d-5e6f70818293', 'b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17'],
  },
  list: (item) => ({ withoutLimit: { total: 1 }, withLimit: { total: 1, items: [item], nextCursor: null } }),
});

/** The task in the examples of the document. */
export const exampleTask = {
  ...examples,
  operations: { ...examples.operations, listAllTasks: examples.operations['listTasks'] ?? {} },
};
