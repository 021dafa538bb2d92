import { defineEntity, p } from '@mikro-orm/core';
import { ApiKey } from '../api-key/api-key.ts';
import { auditedResource } from '../schema/audited-resource.ts';
import { companyKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { auditTrigger, forbidTrigger } from '../schema/triggers.ts';
import { actingUserReference } from '../company/user.ts';

/** Maximum number of endpoints of a company. */
export const MAX_WEBHOOKS = 20;
/** Maximum length of the URL of an endpoint, in characters. */
export const MAX_URL_LENGTH = 2048;
/** Maximum length of the description of an endpoint, in characters. */
export const MAX_WEBHOOK_DESCRIPTION_LENGTH = 1000;
/**
 * Reasons for which an endpoint is disabled: by a request, by a response 410, after days without a successful delivery, by the
 * end of its key.
 */
export const DISABLED_REASONS = ['manual', 'gone', 'failing', 'key'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];
/** Maximum number of headers of an endpoint. */
export const MAX_WEBHOOK_HEADERS = 10;
/** Version of the service whose deliveries have the headers of their endpoints. */
export const HEADERS_VERSION = '0.12.0';
/** Days without a successful delivery after which an endpoint is disabled. */
export const MAX_FAILING_DAYS = 5;

const properties = {
  uniqueId: p.uuid().primary(),
  url: p.string().length(MAX_URL_LENGTH),
  /** Event types, each as `task.create` or `task.*`; null for all. */
  events: p.string().array().columnType('text[]').nullable(),
  description: p.string().length(MAX_WEBHOOK_DESCRIPTION_LENGTH).default(''),
  enabled: p.boolean().default(true),
  /** Null while the endpoint is enabled, and for one that was disabled before the column existed: see `DISABLED_REASON`. */
  disabledReason: p.enum(DISABLED_REASONS).nullable(),
  /** Encrypted. */
  secret: p.text().hidden(),
  secretChangedAt: p.datetime(3).defaultRaw('now()'),
  /** The secret before the last rotation, encrypted, and the end of its overlap with the new one. */
  previousSecret: p.text().hidden().nullable(),
  previousSecretExpiresAt: p.datetime(3).nullable(),
  /** Names of the headers of each request. */
  headers: p.string().array().columnType('text[]').default([]),
  /** The headers with their values, as a JSON object, encrypted; null for none. */
  encryptedHeaders: p.text().hidden().nullable(),
  headersChangedAt: p.datetime(3).nullable(),
  /** The key that created the endpoint; null for a member. The endpoint sends what the key may see. */
  apiKey: () => companyReference(ApiKey, 'api_key_id').nullable().deleteRule('no action'),
  /** Number of the last seal whose event has its delivery. */
  position: p.bigint(),
  /**
   * Events with an id after the first and up to the second are not sent: they are from before the creation, or from while the
   * endpoint was disabled. The second is null while it is disabled.
   */
  skipAfterId: p.bigint().default(0),
  skipUntilId: p.bigint().nullable(),
  /** Time of the first failed attempt after the last successful one. */
  failingSince: p.datetime(3).nullable(),
  /** Number of the seal in the last `audit.checkpoint`, and its time. Null before the first one. */
  checkpointSequence: p.bigint().nullable(),
  checkpointAt: p.datetime(3).nullable(),
  createdAt: p.datetime(3).defaultRaw('now()'),
  updatedAt: p.datetime(3).defaultRaw('now()'),
  createdBy: () => actingUserReference('created_by_id'),
};

const webhookResource = auditedResource('webhook', properties, {
  name: 'url',
  names: { previousSecretExpiresAt: 'rotatedUntil' },
  unaudited: [
    ...([
      'secret',
      'secretChangedAt',
      'previousSecret',
      'encryptedHeaders',
      'position',
      'skipAfterId',
      'skipUntilId',
    ] as const),
    ...(['failingSince', 'checkpointSequence', 'checkpointAt'] as const),
  ],
  verbs: { secretChangedAt: 'rotate' },
});

const webhookSchema = defineEntity({
  name: 'Webhook',
  properties: { company: () => companyKey.company().deleteRule('no action'), ...properties },
  ...tenantIsolation('select'),
  checks: [
    { name: 'webhook_skips_while_disabled', expression: 'enabled = (skip_until_id IS NOT NULL)' },
    { name: 'webhook_events', expression: 'cardinality(events) > 0' },
    {
      name: 'webhook_headers_complete',
      expression: '(encrypted_headers IS NULL) = (cardinality(headers) = 0)',
    },
    {
      name: 'webhook_previous_secret_complete',
      expression: '(previous_secret IS NULL) = (previous_secret_expires_at IS NULL)',
    },
  ],
  triggers: [auditTrigger(webhookResource), forbidTrigger('webhook', ['update of unique_id', 'truncate'])],
});

/** An endpoint that receives the events of its company. Contract, section 14. */
export class Webhook extends webhookSchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
  static readonly resource = webhookResource;
}
webhookSchema.setClass(Webhook);
