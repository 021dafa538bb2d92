import type { EventRecord } from '../../entities/audit/event-statements.ts';
import { CHECKPOINT_TYPE } from '../../entities/webhook/delivery.ts';
import { eventTypeOf } from '../../entities/webhook/event-type.ts';
import { EXAMPLE_CHECKPOINT } from '../audit/checkpoint.ts';
import { exampleTask } from '../task/example.ts';
import { exampleVendor } from '../vendor/example.ts';
import type { WebhookEvent } from '../webhook/body.ts';
import { EXAMPLE_TEST_EVENT, exampleEvents } from './event-examples.ts';
import { CREATION_TIME } from './scenario.ts';
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
  // A replay takes one of its two fields.
  replayWebhookEvents: { request: { since: CREATION_TIME } },
  listAuditEvents: { response: { items: EVENTS.map(({ event }) => event).toReversed(), nextCursor: null } },
};
