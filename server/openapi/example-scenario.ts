import { EXAMPLE_IDS } from '../../procedures/schemas/fields.ts';

/** Example of an operation in the document. */
export interface OperationExample {
  /** Request body. */
  request?: Readonly<Record<string, unknown>>;
  /** Response body. */
  response?: unknown;
  /** Response bodies by name, if they depend on the parameters. */
  responseVariants?: Readonly<Record<string, unknown>>;
}

const user = { uniqueId: EXAMPLE_IDS.user, name: 'Ticket sync', kind: 'integration' };
const creationTime = '2026-11-21T09:30:00.000Z';
const updateTime = '2026-11-21T10:15:00.000Z';
const changeMetadata = {
  createdAt: creationTime,
  updatedAt: creationTime,
  createdBy: user,
  updatedBy: user,
  version: 1,
};
const changeMetadataAfterUpdate = { ...changeMetadata, updatedAt: updateTime, version: 2 };

const newTask = {
  title: 'Review access rights',
  description: '<p>With the owner of each system.</p>',
  priority: 2,
  labels: ['access', 'quarterly'],
  startDate: '2026-12-01',
  dueDate: '2026-12-31',
};
const task = {
  uniqueId: EXAMPLE_IDS.task,
  framework: 1,
  ...newTask,
  departmentId: null,
  gaps: [],
  status: 'todo',
  externalIds: [],
  ...changeMetadata,
};
const taskChanges = { priority: 1, dueDate: null, status: 'in_progress' };

const newVendor = { name: 'Cloud Ltd', description: '<p>Hosts our <b>production</b>.</p>', active: true };
const vendor = {
  uniqueId: EXAMPLE_IDS.vendor,
  name: newVendor.name,
  status: 'active',
  active: true,
  description: newVendor.description,
  externalIds: [],
  ...changeMetadata,
};
const vendorChanges = { name: 'Cloud Inc', active: false };

const reference = { source: 'servicenow', externalId: 'VEN-0042' };
const otherReference = { source: 'jira', externalId: 'SEC-1' };
const syncedTask = {
  ...task,
  uniqueId: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6073',
  title: 'Renew the certificate',
  description: '',
  priority: 2,
  labels: [],
  startDate: null,
  dueDate: null,
  externalIds: [reference],
};
const syncedVendor = {
  ...vendor,
  uniqueId: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6074',
  name: 'Hosting Ltd',
  description: '',
  externalIds: [reference],
};
const batchResults = (item: object) => ({
  succeeded: 1,
  failed: 0,
  results: [{ index: 0, status: 201, item, etag: '1-5f0c2a91' }],
});

const eventBase = (uniqueId: string, requestId: string, occurredAt: string) => ({
  uniqueId,
  occurredAt,
  actor: user,
  apiKey: EXAMPLE_IDS.key,
  requestId,
});
const taskResource = { type: 'task', uniqueId: EXAMPLE_IDS.task };
const vendorResource = { type: 'vendor', uniqueId: EXAMPLE_IDS.vendor };

const taskCreated = {
  ...eventBase('019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6081', '7d0f4f0e-5a0c-4c57-8d7e-3a52f1c9b6e1', creationTime),
  action: 'task.create',
  resource: taskResource,
  changes: task,
};
const taskChanged = {
  ...eventBase('019a2b65-803e-7a11-9c2d-5e6f70818293', 'b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17', updateTime),
  action: 'task.update',
  resource: taskResource,
  changes: {
    priority: { from: task.priority, to: taskChanges.priority },
    dueDate: { from: task.dueDate, to: taskChanges.dueDate },
    status: { from: task.status, to: taskChanges.status },
  },
};
const vendorCreated = {
  ...eventBase('019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6082', '0c8a1f52-6c2b-4b9e-b1f4-9be0a7d35c48', creationTime),
  action: 'vendor.create',
  resource: vendorResource,
  changes: vendor,
};
const vendorChanged = {
  ...eventBase('019a2b65-803e-7a11-9c2d-5e6f70818294', 'e4d90d6b-93a4-4f6c-8f0e-6d1b27c4a590', updateTime),
  action: 'vendor.update',
  resource: vendorResource,
  changes: {
    name: { from: vendor.name, to: vendorChanges.name },
    status: { from: vendor.status, to: 'inactive' },
  },
};

/** The events of the scenario, with their numbers in the change feed. */
export const EXAMPLE_EVENTS = [
  { sequence: 6, event: taskCreated },
  { sequence: 7, event: vendorCreated },
  { sequence: 8, event: taskChanged },
  { sequence: 9, event: vendorChanged },
];

/**
 * Examples of all operations, as one consistent scenario. An API key creates a task and a vendor, reads them, updates them,
 * and reads the audit log. A test runs the scenario and compares the responses with these examples.
 */
export const EXAMPLE_SCENARIO: Readonly<Record<string, OperationExample>> = {
  createTask: { request: newTask, response: task },
  getTask: { response: task },
  listTasks: {
    responseVariants: { withoutLimit: { total: 1 }, withLimit: { total: 1, items: [task], nextCursor: null } },
  },
  updateTask: { request: taskChanges, response: { ...task, ...taskChanges, ...changeMetadataAfterUpdate } },
  putTaskByExternalId: { request: { title: 'Renew the certificate', priority: 2 }, response: syncedTask },
  getTaskByExternalId: { response: syncedTask },
  linkTask: {
    request: otherReference,
    response: { ...syncedTask, externalIds: [reference, otherReference], ...changeMetadataAfterUpdate },
  },
  batchTasks: {
    request: { items: [{ op: 'create', framework: 1, body: { title: syncedTask.title, priority: 2 } }] },
    response: batchResults({ ...syncedTask, externalIds: [] }),
  },
  getTaskHistory: { response: { items: [taskChanged, taskCreated], nextCursor: null } },
  createVendor: { request: newVendor, response: vendor },
  getVendor: { response: vendor },
  putVendorByExternalId: { request: { name: 'Hosting Ltd' }, response: syncedVendor },
  getVendorByExternalId: { response: syncedVendor },
  linkVendor: {
    request: otherReference,
    response: { ...syncedVendor, externalIds: [reference, otherReference], ...changeMetadataAfterUpdate },
  },
  batchVendors: {
    request: { items: [{ op: 'create', body: { name: syncedVendor.name } }] },
    response: batchResults({ ...syncedVendor, externalIds: [] }),
  },
  listVendors: {
    responseVariants: {
      listed: [{ uniqueId: EXAMPLE_IDS.vendor, name: vendor.name, status: vendor.status }],
      full: [vendor],
    },
  },
  updateVendor: {
    request: vendorChanges,
    response: { ...vendor, name: vendorChanges.name, status: 'inactive', active: false, ...changeMetadataAfterUpdate },
  },
  getVendorHistory: { response: { items: [vendorChanged, vendorCreated], nextCursor: null } },
  listFrameworks: { response: [{ id: 1, name: 'ISO 27001', archived: false }] },
  listGaps: { response: [{ id: 1, title: 'No access review', archived: false }] },
  listDepartments: { response: [{ id: 1, name: 'Security', archived: false }] },
  listChanges: {
    response: {
      items: EXAMPLE_EVENTS.map(({ sequence, event }) => Object.assign({}, event, { sequence, deleted: false })),
      cursor: 'c2VhbGVkIGFuZCBzaG9ydGVuZWQ',
      more: false,
    },
  },
  // A replay takes one of its two fields.
  replayWebhookEvents: { request: { since: creationTime } },
  listAuditEvents: { response: { items: [vendorChanged, taskChanged, vendorCreated, taskCreated], nextCursor: null } },
};
