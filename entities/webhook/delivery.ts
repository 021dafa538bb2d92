import { defineEntity, p } from '@mikro-orm/core';
import { companyKey, tenantIsolation } from '../schema/tenancy.ts';
import { Webhook } from './webhook.ts';

/** Type of the event of `webhook.test`. No audit event has it. */
export const TEST_TYPE = 'webhook.test';
/** Type of the head of the audit log, which each endpoint that names it receives. No audit event has it. */
export const CHECKPOINT_TYPE = 'audit.checkpoint';
/** Maximum length of the type of an event, in characters. */
export const MAX_TYPE_LENGTH = 60;
/** Maximum length of the error of an attempt, in characters. */
export const MAX_ERROR_LENGTH = 200;
/** Days for which a delivery stays readable. */
export const DELIVERY_RETENTION_DAYS = 30;

const deliverySchema = defineEntity({
  name: 'WebhookDelivery',
  properties: {
    company: () => companyKey.company().deleteRule('no action'),
    id: p.bigint().primary().autoincrement(),
    /** Without a foreign key: the deletion of an endpoint would wait for that of its deliveries. They expire later. */
    webhook: () => p.manyToOne(Webhook).joinColumns('company_id', 'webhook_id').createForeignKeyConstraint(false),
    /** `webhook-id` of each attempt. It is that of the event, so that a replay has the same one. */
    messageId: p.uuid(),
    /** Number of the seal of the event; null for `webhook.test` and `audit.checkpoint`. */
    sequence: p.bigint().nullable(),
    type: p.string().length(MAX_TYPE_LENGTH),
    eventId: p.bigint().nullable(),
    /** Event of `webhook.test`, or the checkpoint of `audit.checkpoint`, which are not in the audit log. */
    testEvent: p.json<object>().nullable(),
    attempts: p.integer().default(0),
    /** Status of the last response; null if there was none. */
    lastStatus: p.integer().nullable(),
    lastError: p.string().length(MAX_ERROR_LENGTH).nullable(),
    /**
     * Time of the next attempt; null after the last one. A process that takes the delivery sets the end of its lease, and
     * records the outcome only while it is unchanged.
     */
    nextAttemptAt: p.datetime(6).nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  ...tenantIsolation('select', 'delete'),
  uniques: [{ name: 'webhook_delivery_unique', properties: ['company', 'webhook', 'sequence'] }],
  indexes: [
    {
      name: 'webhook_delivery_due',
      properties: ['company', 'webhook', 'nextAttemptAt'],
      where: 'next_attempt_at is not null',
    },
    { name: 'webhook_delivery_by_webhook', properties: ['company', 'webhook', 'id'] },
    // Without company_id: the retention job looks for old rows of all companies at once.
    { name: 'webhook_delivery_by_created_at', properties: ['createdAt'] },
  ],
  checks: [
    { name: 'webhook_delivery_event', expression: '(event_id IS NULL) = (sequence IS NULL)' },
    { name: 'webhook_delivery_test_event', expression: '(event_id IS NULL) = (test_event IS NOT NULL)' },
  ],
});

/** An event for an endpoint, with the outcome of its last attempt. Contract, section 14. */
export class WebhookDelivery extends deliverySchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
}
deliverySchema.setClass(WebhookDelivery);
