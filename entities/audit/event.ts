import { defineEntity, p } from '@mikro-orm/core';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { NO_FRAMEWORK } from '../ids.ts';
import { ApiKey } from '../api-key/api-key.ts';
import { forbidTrigger } from '../schema/triggers.ts';
import { userReference } from '../company/user.ts';

/** Without the events of rows of their own, so that their writes cost nothing more. */
const PARENT_INDEX = `create index audit_event_by_parent on audit_event (company_id, parent_id, id) where parent_id is not null`;

const auditEventSchema = defineEntity({
  name: 'AuditEvent',
  properties: {
    ...companyKeyWithoutForeignKey,
    id: p.bigint().primary().autoincrement(),
    uniqueId: p.uuid(),
    occurredAt: p.datetime(3),
    user: () => userReference('user_id'),
    /** Kind of the user: human or integration. Null in events of versions before 0.8.0. */
    userKind: p.string().length(20).nullable(),
    apiKey: () => companyReference(ApiKey, 'api_key_id').nullable().deleteRule('no action'),
    action: p.string().length(50),
    resourceType: p.string().length(20),
    resourceId: p.string().length(36),
    /** Resource that the changed row belongs to: the task of a comment. Null for a row of its own. */
    parentType: p.string().length(20).nullable(),
    parentId: p.string().length(36).nullable(),
    /** Framework of the changed row, or NO_FRAMEWORK. A key limited to frameworks sees no events of others. */
    frameworkId: p.integer().default(NO_FRAMEWORK),
    changes: p.json(),
    requestId: p.string().length(128),
  },
  ...tenantIsolation('select'),
  // Each index ends in the order of lists, so that a page is a range of one index.
  indexes: [
    { name: 'audit_event_by_time', properties: ['company', 'occurredAt', 'id'] },
    { name: 'audit_event_by_resource', properties: ['company', 'resourceType', 'resourceId', 'id'] },
    { name: 'audit_event_by_user', properties: ['company', 'user', 'occurredAt', 'id'] },
    { name: 'audit_event_by_action', properties: ['company', 'action', 'occurredAt', 'id'] },
    { name: 'audit_event_by_framework', properties: ['company', 'frameworkId', 'occurredAt', 'id'] },
    { name: 'audit_event_by_parent', expression: PARENT_INDEX },
  ],
  triggers: [forbidTrigger('audit_event', ['update', 'delete', 'truncate'])],
});

/**
 * A change of one row. A trigger writes it in the transaction of the change, and it is never changed. Lists are ordered
 * by `occurredAt`, then by `id`. Ids of one row's events follow the order of its changes, so its history is ordered by id.
 * `changes` has column names; responses have field names.
 *
 * Seals cover the text of every column that is not null (docs/audit.md). A new column must be nullable and have no
 * default. Otherwise sealed events no longer match their seals.
 */
export class AuditEvent extends auditEventSchema.class {
  static readonly writePrivileges = ['insert'] as const;
}
auditEventSchema.setClass(AuditEvent);
