import { defineEntity } from '@mikro-orm/core';
import { referenceData } from './reference-data.ts';
import type { WritePrivileges } from './policies.ts';

const schema = defineEntity({ name: 'Department', ...referenceData('department') });

/** A part of the company that a task can be given to. */
export class Department extends schema.class {
  static readonly writePrivileges: WritePrivileges = ['insert', 'update'];
}
schema.setClass(Department);
