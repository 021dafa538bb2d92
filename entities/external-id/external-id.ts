import { defineEntity, p } from '@mikro-orm/core';
import type { TriggerDef } from '@mikro-orm/core';
import { plainColumn } from '../fields/kind.ts';
import { companyKey, tenantIsolation } from '../schema/tenancy.ts';
import { defineTrigger, forbidTrigger, unlessReceiving } from '../schema/triggers.ts';

/** Bounds of external ids. Lengths are in characters. */
export const EXTERNAL_ID_LIMITS = { perObject: 10, maxLength: 255, maxSourceLength: 50 } as const;

/** Types of objects that have external ids. Each is also the name of its table. */
export const EXTERNAL_ID_TYPES = ['task', 'vendor'] as const;
export type ExternalIdType = (typeof EXTERNAL_ID_TYPES)[number];

/** An id of an object in another system. */
export interface ExternalReference {
  source: string;
  externalId: string;
}

/** Column of a table whose rows have external ids, in the order in which they were added. */
export const externalIds = plainColumn(p.json<ExternalReference[]>().default([]), 'none', {
  suffix: '_max',
  condition: (name) => `jsonb_array_length(${name}) <= ${EXTERNAL_ID_LIMITS.perObject}`,
});

/** Checks that the external ids of a row are reserved for it. Rows without external ids cost nothing. */
export const externalIdsTriggers = (table: ExternalIdType): TriggerDef[] => [
  defineTrigger(`${table}_external_ids_insert`, 'after', ['insert'], table, 'row', `check_external_ids('${table}')`, {
    when: `new.external_ids <> '[]' and ${unlessReceiving(table)}`,
  }),
  defineTrigger(`${table}_external_ids_update`, 'after', ['update'], table, 'row', `check_external_ids('${table}')`, {
    when: 'new.external_ids <> old.external_ids',
  }),
];

const externalIdSchema = defineEntity({
  name: 'ExternalId',
  properties: {
    ...companyKey,
    resourceType: p.enum(EXTERNAL_ID_TYPES).primary(),
    /** Framework of the task; `NO_FRAMEWORK` for a vendor. */
    frameworkId: p.integer().primary(),
    source: p.string().length(EXTERNAL_ID_LIMITS.maxSourceLength).primary(),
    externalId: p.string().length(EXTERNAL_ID_LIMITS.maxLength).collation('C').primary(),
    /** Without a foreign key: the id stays reserved after the deletion of the object. */
    resourceId: p.uuid(),
  },
  ...tenantIsolation(),
  checks: [
    { name: 'external_id_source', expression: `source::text <> ''::text AND source::text !~ '[^a-z0-9_-]'::text` },
    { name: 'external_id_not_empty', expression: `external_id::text <> ''::text` },
  ],
  triggers: [
    defineTrigger(
      'external_id_target',
      'after',
      ['insert', 'update'],
      'external_id',
      'row',
      'check_external_id_target()',
      { when: unlessReceiving('external_id') },
    ),
    defineTrigger('external_id_kept', 'before', ['delete'], 'external_id', 'row', 'keep_external_id()'),
    forbidTrigger('external_id', ['update of company_id', 'truncate']),
  ],
});

/** Reserves an external id for an object. The object lists the same id, and triggers on both tables compare them. */
export class ExternalId extends externalIdSchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
}
externalIdSchema.setClass(ExternalId);
