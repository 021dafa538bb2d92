import { p } from '@mikro-orm/core';
import { MAX_NAME_LENGTH } from '../company/company.ts';
import type { AuditedResource } from './audited-resource.ts';
import { companyKey, tenantIsolation } from './tenancy.ts';
import { auditTrigger, forbidTrigger } from './triggers.ts';

/** Properties of frameworks and departments: a name, and a time of archiving in place of deletion. */
export const referenceProperties = {
  id: p.integer().primary().autoincrement(),
  name: p.string().length(MAX_NAME_LENGTH),
  archivedAt: p.datetime(3).nullable(),
};

/** Schema of frameworks and departments. */
export const referenceData = (resource: AuditedResource) => ({
  tableName: resource.table,
  properties: { ...companyKey, ...referenceProperties },
  ...tenantIsolation(),
  checks: [{ name: `${resource.table}_name_not_empty`, expression: `name::text <> ''::text` }],
  triggers: referenceTriggers(resource),
});

/** Triggers of reference data: it is audited and archived, never deleted. */
export const referenceTriggers = (resource: AuditedResource) => [
  auditTrigger(resource),
  forbidTrigger(resource.table, ['delete', 'truncate']),
];
