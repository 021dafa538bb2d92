import { defineEntity } from '@mikro-orm/core';
import { namedResource, referenceData } from '../schema/reference-data.ts';

export const frameworkResource = namedResource('framework', 'ISO 27001');

const frameworkSchema = defineEntity({ name: 'Framework', ...referenceData(frameworkResource) });

/** A standard that the company complies with: ISO 27001, SOC 2, … Each task and gap belongs to one framework. */
export class Framework extends frameworkSchema.class {
  static readonly writePrivileges = ['insert', 'update'] as const;
  static readonly resource = frameworkResource;
}
frameworkSchema.setClass(Framework);
