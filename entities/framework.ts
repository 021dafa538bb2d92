import { defineEntity } from '@mikro-orm/core';
import { referenceData } from './schema/reference-data.ts';
import type { WritePrivileges } from './schema/row-level-security.ts';

const frameworkSchema = defineEntity({ name: 'Framework', ...referenceData('framework') });

/** What a company complies with: ISO 27001, SOC 2, … Tasks and gaps belong to one. */
export class Framework extends frameworkSchema.class {
  static readonly writePrivileges: WritePrivileges = ['insert', 'update'];
}
frameworkSchema.setClass(Framework);
