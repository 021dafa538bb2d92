import type { EventRecord } from '../../entities/audit/event-statements.ts';
import { CHECKPOINT_TYPE, TEST_TYPE } from '../../entities/webhook/delivery.ts';
import { eventTypeOf } from '../../entities/webhook/event-type.ts';
import { ACCOUNT_VERBS } from '../../entities/member/member.ts';
import { isFullObject } from '../../entities/audit/changes.ts';
import { RESOURCE_TYPES, actionsOf, resourceOf } from '../../entities/audit/fields.ts';
import type { ResourceType } from '../../entities/audit/fields.ts';
import { PARENT_COLUMN } from '../../entities/schema/audited-resource.ts';
import { EXAMPLE_IDS } from '../../entities/fields/schemas.ts';
import { EXAMPLE_CHECKPOINT } from '../audit/checkpoint.ts';
import { exampleTask } from '../task/openapi.ts';
import { exampleVendor } from '../vendor/openapi.ts';
import type { WebhookEvent } from '../webhook/body.ts';
import { CREATION_TIME, EXAMPLE_USER, UPDATE_TIME } from './scenario.ts';
import type { OperationExample } from './scenario.ts';

const RESOURCES = [exampleTask, exampleVendor];

/** The events of the scenario, oldest first. */
const EVENTS = [
  ...RESOURCES.map(({ createEvent }) => createEvent),
  ...RESOURCES.map(({ updateEvent }) => updateEvent),
].map((event, index) => ({ event, sequence: index + 6 }));

const toWebhookEvent = (event: EventRecord, sequence: number | null): WebhookEvent => ({
  type: eventTypeOf(event.action),
  timestamp: event.occurredAt,
  sequence,
  data: event,
});

type Changes = EventRecord['changes'];

/** Values in the events of a resource that do not follow from its columns. */
interface ResourceExample {
  /** Fields of the object. */
  fields?: Changes;
  /** Changes by verb. */
  changes?: Readonly<Record<string, Changes>>;
}

const IDENTITY = '7e776912e6c603ae7a4d94c34cc714081f5896f973b997e6d5a678beff9dbcf8';
const TEXT = 'Text';
const ROTATED_UNTIL = { from: null, to: '2026-11-21T11:15:00.000Z' };
const PARENTS = [
  { type: 'task', uniqueId: EXAMPLE_IDS.task },
  { type: 'vendor', uniqueId: EXAMPLE_IDS.vendor },
];

/** Owner of the objects of a type. */
const exampleParent = (type: ResourceType) =>
  PARENTS.find((parent) => resourceOf(type).parentTypes.includes(parent.type)) ?? null;
const update = { archivedAt: { from: null, to: UPDATE_TIME } };
const revoke = { revokedAt: { from: null, to: UPDATE_TIME } };

const ASSESSMENT = { result: 'met', note: 'Reviewed with the owners.', at: UPDATE_TIME, by: EXAMPLE_USER };

const RESOLVED = { at: UPDATE_TIME, by: EXAMPLE_USER };
const CHECK = { result: 'rejected', note: 'The signature is missing.', at: UPDATE_TIME, by: EXAMPLE_USER };

const EXAMPLES: Readonly<Partial<Record<ResourceType, ResourceExample>>> = {
  company: { fields: { name: 'Acme' }, changes: { update: { timeZone: { from: 'UTC', to: 'Europe/Berlin' } } } },
  framework: { fields: { name: 'ISO 27001' }, changes: { update } },
  department: { fields: { name: 'Security' }, changes: { update } },
  gap: { fields: { framework: 1, title: 'No access review' }, changes: { update } },
  apiKey: {
    fields: {
      uniqueId: EXAMPLE_IDS.key,
      name: 'Ticket sync',
      start: 'svc_sk_live_7Hq2',
      last4: '3kZd',
      scopes: ['task:read', 'task:write'],
    },
    changes: {
      update: { name: { from: 'Ticket sync', to: 'Tickets' }, frameworks: { from: [1], to: null } },
      rotate: {
        rotatedUntil: ROTATED_UNTIL,
        start: { from: 'svc_sk_live_7Hq2', to: 'svc_sk_live_Rb4t' },
        last4: { from: '3kZd', to: 'gN8e' },
      },
      revoke,
    },
  },
  task: { fields: exampleTask.createEvent.changes, changes: { update: exampleTask.updateEvent.changes } },
  vendor: {
    fields: exampleVendor.createEvent.changes,
    changes: {
      update: exampleVendor.updateEvent.changes,
      review: {
        nextReview: { from: '2026-11-30', to: '2027-11-30' },
        lastReview: { from: null, to: { at: UPDATE_TIME, by: EXAMPLE_USER, note: 'No incident this year.' } },
      },
    },
  },
  requirement: {
    fields: {
      framework: 1,
      uniqueId: EXAMPLE_IDS.requirement,
      ref: 'A.5.1',
      title: 'Policies for information security',
      description: '<p>Policies are defined and approved.</p>',
    },
    changes: {
      update: { position: { from: 0, to: 1 } },
      assess: { assessment: { from: null, to: ASSESSMENT } },
    },
  },
  comment: {
    fields: { uniqueId: EXAMPLE_IDS.comment, text: '<p>Done for all systems.</p>' },
    changes: {
      update: { text: { from: '<p>Done for all systems.</p>', to: '<p>Done for all but one.</p>' } },
      resolve: { resolved: { from: null, to: RESOLVED } },
      reopen: { resolved: { from: RESOLVED, to: null } },
    },
  },
  evidence: {
    fields: {
      uniqueId: EXAMPLE_IDS.evidence,
      kind: 'file',
      mediaType: 'application/pdf',
      size: 184_320,
      sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      name: 'Access review Q2.pdf',
      date: '2026-06-30',
    },
    changes: {
      update: { validUntil: { from: null, to: '2026-12-31' } },
      check: { check: { from: null, to: CHECK } },
    },
  },
  member: {
    fields: { uniqueId: EXAMPLE_IDS.user, role: 'editor', identity: IDENTITY },
    changes: {
      update: { role: { from: 'editor', to: 'auditor' } },
      forget: { forgottenAt: { from: null, to: UPDATE_TIME } },
      ...Object.fromEntries(Object.values(ACCOUNT_VERBS).map((verb) => [verb, {}])),
    },
  },
  invitation: {
    fields: { role: 'editor', identity: IDENTITY, frameworks: [1], expiresAt: '2026-11-28T09:30:00.000Z' },
    changes: { revoke },
  },
  sso: { changes: { update: { required: { from: false, to: true } } } },
  webhook: {
    fields: {
      uniqueId: EXAMPLE_IDS.webhook,
      url: 'https://hooks.example.com/compliance',
      events: ['task.*'],
      apiKey: EXAMPLE_IDS.key,
    },
    changes: {
      update: { enabled: { from: true, to: false }, disabledReason: { from: null, to: 'manual' } },
      rotate: { rotatedUntil: ROTATED_UNTIL },
    },
  },
  proof: { fields: { uniqueId: EXAMPLE_IDS.proof, asOf: '2026-11-21T09:00:00.000Z', evidence: true } },
};

/** An example of a column: its default, or an example of its kind. */
function exampleValue(type: ResourceType, field: string, column: string): unknown {
  const { earlierValues, kinds } = resourceOf(type);
  if (column in earlierValues) return earlierValues[column];
  if (column === PARENT_COLUMN) return exampleParent(type);
  if (kinds[column] === 'time') return CREATION_TIME;
  if (kinds[column] === 'person') return EXAMPLE_USER;
  if (field === 'uniqueId') return '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f607b';
  return field === 'id' || field === 'version' ? 1 : TEXT;
}

/** The events of a resource. */
function exampleEventsOf(type: ResourceType) {
  const { auditedColumns, deriveFields } = resourceOf(type);
  const { fields = {}, changes = {} } = EXAMPLES[type] ?? {};
  const own = Object.fromEntries(
    Object.entries(auditedColumns).map(([field, column]) => [field, exampleValue(type, field, column)]),
  );
  const object: Changes = { ...own, ...fields };
  const texts = Object.keys(own).filter((field) => own[field] === TEXT);
  const changed = Object.fromEntries(texts.map((field) => [field, { from: TEXT, to: 'Another text' }]));
  const uniqueId = typeof object['uniqueId'] === 'string' ? object['uniqueId'] : '1';
  return actionsOf(type).map((action) => ({
    action,
    resource: { type, uniqueId },
    parent: exampleParent(type),
    changes: isFullObject(action)
      ? { ...object, ...deriveFields(object) }
      : (changes[action.slice(type.length + 1)] ?? changed),
  }));
}

/** @param position makes the id of the event */
const exampleEvent = (
  position: number,
  event: Pick<EventRecord, 'action' | 'resource' | 'parent' | 'changes'>,
): EventRecord => ({
  uniqueId: `019a2b65-803e-7a11-9c2d-${(0x6e6f_7081_8300 + position).toString(16)}`,
  occurredAt: UPDATE_TIME,
  actor: EXAMPLE_USER,
  apiKey: EXAMPLE_IDS.key,
  requestId: 'b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17',
  ...event,
});

/** The event of `webhook.test`. */
const EXAMPLE_TEST_EVENT = exampleEvent(0, {
  action: TEST_TYPE,
  resource: { type: 'webhook', uniqueId: EXAMPLE_IDS.webhook },
  parent: null,
  changes: {},
});

/** An event of each action of each resource. */
const exampleEvents = (): EventRecord[] =>
  RESOURCE_TYPES.flatMap(exampleEventsOf).map((event, index) => exampleEvent(index + 1, event));

/** Example bodies of webhooks, by event type. */
export const EXAMPLE_WEBHOOKS: ReadonlyMap<string, WebhookEvent> = new Map(
  [
    ...exampleEvents().map((event, index) => toWebhookEvent(event, index + 10)),
    ...EVENTS.map(({ event, sequence }) => toWebhookEvent(event, sequence)),
    toWebhookEvent(EXAMPLE_TEST_EVENT, null),
    { type: CHECKPOINT_TYPE, timestamp: EXAMPLE_CHECKPOINT.at, sequence: null, data: EXAMPLE_CHECKPOINT },
  ].map((event) => [event.type, event]),
);

/**
 * Examples of operations, as one consistent scenario. An API key creates each resource, reads it, updates it, and reads the
 * audit log. A test runs the scenario and compares the responses with these examples. Other examples derive from the schemas.
 */
export const EXAMPLE_SCENARIO: Readonly<Record<string, OperationExample>> = {
  ...Object.assign({}, ...RESOURCES.map(({ operations }) => operations)),
  listChanges: {
    response: {
      items: EVENTS.map(({ event, sequence }) => Object.assign({}, event, { sequence, deleted: false })),
      cursor: 'c2VhbGVkIGFuZCBzaG9ydGVuZWQ',
      more: false,
    },
  },
  createRequirement: { request: { ref: 'A.5.1', title: 'Policies for information security', applicable: true } },
  updateRequirement: {
    request: { title: 'Policies', justification: 'Policies are the base of the management system.' },
  },
  batchRequirements: {
    request: { items: [{ op: 'create', body: { ref: 'A.5.2', title: 'Roles and responsibilities' } }] },
  },
  // A replay takes one of its two fields.
  replayWebhookEvents: { request: { since: CREATION_TIME } },
  listAuditEvents: { response: { items: EVENTS.map(({ event }) => event).toReversed(), nextCursor: null } },
};
