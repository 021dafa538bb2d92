import { defineEntity } from '@mikro-orm/core';
import { referenceData } from './reference-data.ts';

const schema = defineEntity({ name: 'Department', ...referenceData('department') });

/** A part of the company that a task can be given to. */
export class Department extends schema.class {}
schema.setClass(Department);
