import { defineEntity } from '@mikro-orm/core';
import { namedResource, referenceData } from '../schema/reference-data.ts';

export const departmentResource = namedResource('department', 'Security');

const departmentSchema = defineEntity({ name: 'Department', ...referenceData(departmentResource) });

/** A department of the company. Tasks may be assigned to it. */
export class Department extends departmentSchema.class {
  static readonly writePrivileges = ['insert', 'update'] as const;
  static readonly resource = departmentResource;
}
departmentSchema.setClass(Department);
