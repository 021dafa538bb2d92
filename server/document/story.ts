import { EXAMPLE } from '../../procedures/shapes.ts';

/** What an operation is shown with. */
export interface Shown {
  /** The body that is sent. */
  takes?: Readonly<Record<string, unknown>>;
  /** What that is answered. */
  answers?: unknown;
  /** What is answered where that depends on how it is asked, by how. */
  answersBy?: Readonly<Record<string, unknown>>;
}

const user = { uniqueId: EXAMPLE.user, name: 'Ticket sync', kind: 'integration' };
const created = '2026-11-21T09:30:00.000Z';
const changed = '2026-11-21T10:15:00.000Z';
const stamps = { createdAt: created, updatedAt: created, createdBy: user, updatedBy: user, version: 1 };
const stampsAfter = { ...stamps, updatedAt: changed, version: 2 };

const newTask = {
  title: 'Review access rights',
  description: '<p>With the owner of each system.</p>',
  priority: 2,
  labels: ['access', 'quarterly'],
  startDate: '2026-12-01',
  dueDate: '2026-12-31',
};
const task = {
  uniqueId: EXAMPLE.task,
  framework: 1,
  ...newTask,
  departmentId: null,
  gaps: [],
  status: 'todo',
  ...stamps,
};
const taskChanges = { priority: 1, dueDate: null, status: 'in_progress' };

const newVendor = { name: 'Cloud Ltd', description: '<p>Hosts our <b>production</b>.</p>', active: true };
const vendor = {
  uniqueId: EXAMPLE.vendor,
  name: newVendor.name,
  status: 'active',
  active: true,
  description: newVendor.description,
  ...stamps,
};
const vendorChanges = { name: 'Cloud Inc', active: false };

const event = (uniqueId: string, requestId: string, at: string) => ({
  uniqueId,
  occurredAt: at,
  actor: user,
  apiKey: EXAMPLE.key,
  requestId,
});
const ofTask = { type: 'task', uniqueId: EXAMPLE.task };
const ofVendor = { type: 'vendor', uniqueId: EXAMPLE.vendor };

const taskCreated = {
  ...event('019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6081', '7d0f4f0e-5a0c-4c57-8d7e-3a52f1c9b6e1', created),
  action: 'task.create',
  resource: ofTask,
  changes: task,
};
const taskChanged = {
  ...event('019a2b65-803e-7a11-9c2d-5e6f70818293', 'b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17', changed),
  action: 'task.update',
  resource: ofTask,
  changes: {
    priority: { from: task.priority, to: taskChanges.priority },
    dueDate: { from: task.dueDate, to: taskChanges.dueDate },
    status: { from: task.status, to: taskChanges.status },
  },
};
const vendorCreated = {
  ...event('019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6082', '0c8a1f52-6c2b-4b9e-b1f4-9be0a7d35c48', created),
  action: 'vendor.create',
  resource: ofVendor,
  changes: vendor,
};
const vendorChanged = {
  ...event('019a2b65-803e-7a11-9c2d-5e6f70818294', 'e4d90d6b-93a4-4f6c-8f0e-6d1b27c4a590', changed),
  action: 'vendor.update',
  resource: ofVendor,
  changes: {
    name: { from: vendor.name, to: vendorChanges.name },
    status: { from: vendor.status, to: 'inactive' },
  },
};

/**
 * One story that all operations are shown with, so that what one is answered is what the next one goes on with: a key
 * creates a task and a vendor, reads them, changes them, and reads what happened. A test plays it, and is answered the same.
 */
export const STORY: Readonly<Record<string, Shown>> = {
  createTask: { takes: newTask, answers: task },
  getTask: { answers: task },
  listTasks: {
    answersBy: { withoutLimit: { total: 1 }, withLimit: { total: 1, items: [task], nextCursor: null } },
  },
  updateTask: { takes: taskChanges, answers: { ...task, ...taskChanges, ...stampsAfter } },
  getTaskHistory: { answers: { items: [taskChanged, taskCreated], nextCursor: null } },
  createVendor: { takes: newVendor, answers: vendor },
  getVendor: { answers: vendor },
  listVendors: { answers: [{ uniqueId: EXAMPLE.vendor, name: vendor.name, status: vendor.status }] },
  updateVendor: {
    takes: vendorChanges,
    answers: { ...vendor, name: vendorChanges.name, status: 'inactive', active: false, ...stampsAfter },
  },
  getVendorHistory: { answers: { items: [vendorChanged, vendorCreated], nextCursor: null } },
  listAuditEvents: { answers: { items: [vendorChanged, taskChanged, vendorCreated, taskCreated], nextCursor: null } },
};
