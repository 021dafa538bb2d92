import { defineEntity } from '@mikro-orm/core';
import { referenceData } from './reference-data.ts';
import type { WritePrivileges } from './policies.ts';

const schema = defineEntity({ name: 'Framework', ...referenceData('framework') });

/** What a company complies with: ISO 27001, SOC 2, … Tasks and gaps belong to one. */
export class Framework extends schema.class {
  static readonly writePrivileges: WritePrivileges = ['insert', 'update'];
}
schema.setClass(Framework);
