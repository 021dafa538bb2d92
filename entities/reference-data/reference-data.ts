import { defineEntity, p } from '@mikro-orm/core';
import { plainColumn } from '../fields/kind.ts';
import { name } from '../fields/text.ts';
import { auditTrigger, forbidTrigger } from '../schema/triggers.ts';
import { companyKey, companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { auditedResource } from '../schema/audited-resource.ts';
import type { AuditedResource } from '../schema/audited-resource.ts';
import { checksOf, personalColumnsOf, propertiesOf } from '../schema/columns.ts';
import type { Columns } from '../schema/columns.ts';

const id = plainColumn(p.integer().primary().autoincrement(), 'none');
/** Time of archiving, in place of deletion. */
const archivedAt = plainColumn(p.datetime(3).nullable(), 'none');

/** Declares reference data. @param nameField the field that names it */
const referenceResource = <const Type extends string, Given extends Columns>(
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
const namedResource = <const Type extends string>(type: Type, example: string) =>
  referenceResource(type, 'name', { id, name: name({ description: `Name of the ${type}`, example }), archivedAt });

/** Schema of frameworks and departments. */
const referenceData = (resource: ReturnType<typeof namedResource>) => ({
  tableName: resource.table,
  properties: { ...companyKey, ...resource.properties },
  ...tenantIsolation(),
  checks: resource.checks,
  triggers: referenceTriggers(resource),
});

/** Triggers of reference data: it is audited and archived, never deleted. */
const referenceTriggers = (resource: AuditedResource) => [
  auditTrigger(resource),
  forbidTrigger(resource.table, ['delete', 'truncate']),
];

export const frameworkResource = namedResource('framework', 'ISO 27001');

const frameworkSchema = defineEntity({ name: 'Framework', ...referenceData(frameworkResource) });

/** A standard that the company complies with: ISO 27001, SOC 2, … Each task and gap belongs to one framework. */
export class Framework extends frameworkSchema.class {
  static readonly writePrivileges = ['insert', 'update'] as const;
  static readonly resource = frameworkResource;
}
frameworkSchema.setClass(Framework);

export const departmentResource = namedResource('department', 'Security');

const departmentSchema = defineEntity({ name: 'Department', ...referenceData(departmentResource) });

/** A department of the company. Tasks may be assigned to it. */
export class Department extends departmentSchema.class {
  static readonly writePrivileges = ['insert', 'update'] as const;
  static readonly resource = departmentResource;
}
departmentSchema.setClass(Department);

export const gapResource = referenceResource('gap', 'title', {
  id,
  framework: plainColumn(() => companyReference(Framework, 'framework_id'), 'none'),
  title: name({
    description: 'What is missing',
    input: { description: 'Title of the gap' },
    example: 'No access review',
  }),
  archivedAt,
});

const gapSchema = defineEntity({
  name: 'Gap',
  properties: { ...companyKeyWithoutForeignKey, ...gapResource.properties },
  ...tenantIsolation(),
  checks: gapResource.checks,
  triggers: [...referenceTriggers(gapResource), forbidTrigger('gap', ['update of framework_id'])],
});

/** A shortfall against one framework. Tasks of that framework may refer to it. */
export class Gap extends gapSchema.class {
  static readonly writePrivileges = ['insert', 'update'] as const;
  static readonly resource = gapResource;
}
gapSchema.setClass(Gap);
