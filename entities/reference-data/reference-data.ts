import { defineEntity, p } from '@mikro-orm/core';
import { plainColumn } from '../fields/kind.ts';
import { person } from '../fields/references.ts';
import { name } from '../fields/text.ts';
import { date } from '../fields/values.ts';
import { auditTrigger, forbidTrigger } from '../schema/triggers.ts';
import { Member } from '../member/member.ts';
import { companyKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { auditedResource } from '../schema/audited-resource.ts';
import type { AuditedResource } from '../schema/audited-resource.ts';
import { checksOf, personalColumnsOf, propertiesOf } from '../schema/columns.ts';
import type { Columns } from '../schema/columns.ts';

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

/** Columns of frameworks and departments. */
const namedColumns = (type: string, example: string) => ({
  id,
  name: name({ description: `Name of the ${type}`, example }),
  archivedAt,
});

/** Triggers of reference data: it is audited and archived, never deleted. */
export const referenceTriggers = (resource: AuditedResource) => [
  auditTrigger(resource),
  forbidTrigger(resource.table, ['delete', 'truncate']),
];

export const frameworkResource = referenceResource('framework', 'name', {
  ...namedColumns('framework', 'ISO 27001'),
  owner: {
    ...person('owner', {
      description: 'Member who is responsible for the framework',
      id: 'An active member who may see the framework, or null',
    }),
    // Without a foreign key, as members refer to frameworks: tables that refer to each other could be neither moved nor erased.
    property: () => companyReference(Member, 'owner_id').nullable().createForeignKeyConstraint(false),
  },
  auditDate: date({ description: 'Day of the next audit', forModels: null }).nullable(),
});

const frameworkSchema = defineEntity({
  name: 'Framework',
  properties: { ...companyKey, ...frameworkResource.properties },
  ...tenantIsolation(),
  checks: frameworkResource.checks,
  triggers: referenceTriggers(frameworkResource),
});

/** A standard that the company complies with: ISO 27001, SOC 2, … Each task and gap belongs to one framework. */
export class Framework extends frameworkSchema.class {
  static readonly writePrivileges = ['insert', 'update'] as const;
  static readonly resource = frameworkResource;
}
frameworkSchema.setClass(Framework);

export const departmentResource = referenceResource('department', 'name', namedColumns('department', 'Security'));

const departmentSchema = defineEntity({
  name: 'Department',
  properties: { ...companyKey, ...departmentResource.properties },
  ...tenantIsolation(),
  checks: departmentResource.checks,
  triggers: referenceTriggers(departmentResource),
});

/** A department of the company. Tasks may be assigned to it. */
export class Department extends departmentSchema.class {
  static readonly writePrivileges = ['insert', 'update'] as const;
  static readonly resource = departmentResource;
}
departmentSchema.setClass(Department);
