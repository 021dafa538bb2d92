import { EXAMPLE_IDS } from '../../entities/fields/schemas.ts';
import { taskResource } from '../../entities/task/task.ts';
import { resourceExamples } from '../document/scenario.ts';
import { TaskOutput } from './schemas.ts';

const examples = resourceExamples({
  type: 'task',
  output: TaskOutput,
  defaults: { ...taskResource.defaults, assignee: null, seriesDate: null, previous: null, next: null },
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
