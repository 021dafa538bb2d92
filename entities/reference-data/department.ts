import { defineEntity } from '@mikro-orm/core';
import { auditedResource } from '../schema/audited-resource.ts';
import { referenceData, referenceProperties } from '../schema/reference-data.ts';
import type { WritePrivileges } from '../schema/row-level-security.ts';

export const departmentResource = auditedResource('department', referenceProperties);

const departmentSchema = defineEntity({ name: 'Department', ...referenceData(departmentResource) });

/** A department of the company. Tasks may be assigned to it. */
export class Department extends departmentSchema.class {
  static readonly writePrivileges: WritePrivileges = ['insert', 'update'];
}
departmentSchema.setClass(Department);
