import { p } from '@mikro-orm/core';
import { plainColumn } from '../fields/kind.ts';
import { name } from '../fields/text.ts';
import { auditedResource } from './audited-resource.ts';
import type { AuditedResource } from './audited-resource.ts';
import { checksOf, personalColumnsOf, propertiesOf } from './columns.ts';
import type { Columns } from './columns.ts';
import { companyKey, tenantIsolation } from './tenancy.ts';
import { auditTrigger, forbidTrigger } from './triggers.ts';

export const id = plainColumn(p.integer().primary().autoincrement(), 'none');
/** Time of archiving, in place of deletion. */
export const archivedAt = plainColumn(p.datetime(3).nullable(), 'none');

/** Declares reference data. @param nameField the field that names it */
export const referenceResource = <const Type extends string, Given extends Columns>(
  type: Type,
  nameField: keyof Given & string,
  columns: Given,
) => {
  const properties = propertiesOf(columns);
  return {
    ...auditedResource(type, properties, { name: nameField }),
    properties,
    checks: checksOf(type, columns),
    personalColumns: personalColumnsOf(columns),
    schemas: columns,
  };
};

/** Declares frameworks or departments. */
export const namedResource = <const Type extends string>(type: Type, example: string) =>
  referenceResource(type, 'name', { id, name: name({ description: `Name of the ${type}`, example }), archivedAt });

/** Schema of frameworks and departments. */
export const referenceData = (resource: ReturnType<typeof namedResource>) => ({
  tableName: resource.table,
  properties: { ...companyKey, ...resource.properties },
  ...tenantIsolation(),
  checks: resource.checks,
  triggers: referenceTriggers(resource),
});

/** Triggers of reference data: it is audited and archived, never deleted. */
export const referenceTriggers = (resource: AuditedResource) => [
  auditTrigger(resource),
  forbidTrigger(resource.table, ['delete', 'truncate']),
];
