import { defineEntity } from '@mikro-orm/core';
import { auditedResource } from '../schema/audited-resource.ts';
import { referenceData, referenceProperties } from '../schema/reference-data.ts';

const departmentResource = auditedResource('department', referenceProperties, { name: 'name' });

const departmentSchema = defineEntity({ name: 'Department', ...referenceData(departmentResource) });

/** A department of the company. Tasks may be assigned to it. */
export class Department extends departmentSchema.class {
  static readonly writePrivileges = ['insert', 'update'] as const;
  static readonly resource = departmentResource;
}
departmentSchema.setClass(Department);
