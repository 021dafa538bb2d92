import { defineEntity } from '@mikro-orm/core';
import { referenceData } from './schema/reference-data.ts';
import type { WritePrivileges } from './schema/row-level-security.ts';

const departmentSchema = defineEntity({ name: 'Department', ...referenceData('department') });

/** A part of the company that a task can be given to. */
export class Department extends departmentSchema.class {
  static readonly writePrivileges: WritePrivileges = ['insert', 'update'];
}
departmentSchema.setClass(Department);
