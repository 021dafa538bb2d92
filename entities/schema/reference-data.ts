import { p } from '@mikro-orm/core';
import { MAX_NAME_LENGTH } from '../company.ts';
import { tenantIsolation, companyKey } from './tenancy.ts';
import { auditTrigger, forbidTrigger } from './triggers.ts';

/** What frameworks and departments have in common: a name, and an archive instead of deletion. */
export const referenceData = (table: string) => ({
  tableName: table,
  properties: {
    ...companyKey,
    id: p.integer().primary().autoincrement(),
    name: p.string().length(MAX_NAME_LENGTH),
    archivedAt: p.datetime(3).nullable(),
  },
  ...tenantIsolation(),
  checks: [{ name: `${table}_name_not_empty`, expression: `name::text <> ''::text` }],
  triggers: referenceTriggers(table),
});

/** Triggers of reference data: audited, archived, never deleted. */
export const referenceTriggers = (table: string) => [
  auditTrigger(table, { resourceType: table, idColumn: 'id' }),
  forbidTrigger(table, ['delete', 'truncate']),
];
