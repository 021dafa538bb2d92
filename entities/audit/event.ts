import { defineEntity, p } from '@mikro-orm/core';
import { tenantIsolation, companyKeyWithoutForeignKey } from '../schema/tenancy.ts';
import { ApiKey } from '../api-key/api-key.ts';
import { forbidTrigger } from '../schema/triggers.ts';
import { userReference } from '../user.ts';
import type { WritePrivileges } from '../schema/row-level-security.ts';

/** Stands in events for the framework of what belongs to none. No framework has this id. */
export const NO_FRAMEWORK = 0;

const auditEventSchema = defineEntity({
  name: 'AuditEvent',
  properties: {
    ...companyKeyWithoutForeignKey,
    id: p.bigint().primary().autoincrement(),
    uniqueId: p.uuid(),
    occurredAt: p.datetime(3),
    user: () => userReference('user_id'),
    apiKey: () =>
      p
        .manyToOne(ApiKey)
        .joinColumns('company_id', 'api_key_id')
        .nullable()
        .updateRule('no action')
        .deleteRule('no action'),
    action: p.string().length(50),
    resourceType: p.string().length(20),
    resourceId: p.string().length(36),
    /** Of the row that changed, or NO_FRAMEWORK: a key limited to frameworks sees no other's events. */
    frameworkId: p.integer().default(NO_FRAMEWORK),
    changes: p.json(),
    requestId: p.string().length(128),
  },
  ...tenantIsolation('select'),
  // Each ends in the order in which events are read, so that a page is the next entries of one of them.
  indexes: [
    { name: 'audit_event_by_time', properties: ['company', 'occurredAt', 'id'] },
    { name: 'audit_event_by_resource', properties: ['company', 'resourceType', 'resourceId', 'id'] },
    { name: 'audit_event_by_user', properties: ['company', 'user', 'occurredAt', 'id'] },
    { name: 'audit_event_by_action', properties: ['company', 'action', 'occurredAt', 'id'] },
    { name: 'audit_event_by_framework', properties: ['company', 'frameworkId', 'occurredAt', 'id'] },
  ],
  triggers: [forbidTrigger('audit_event', ['update', 'delete', 'truncate'])],
});

/**
 * One change of one row, written by the trigger in the change's own transaction and final. Events are read by
 * `occurredAt`, and by `id` within a millisecond; those of one row have ids in the order of its changes, and are read by
 * these. `changes` holds column names, which get the contract's names when they are read.
 *
 * Every column that is not null is part of the text that seals are made of (docs/audit.md). A column that is
 * added later must be nullable and have no default: otherwise sealed events no longer match their seals.
 */
export class AuditEvent extends auditEventSchema.class {
  static readonly writePrivileges: WritePrivileges = ['insert'];
}
auditEventSchema.setClass(AuditEvent);
