import { defineEntity } from '@mikro-orm/core';
import { auditedResource } from '../schema/audited-resource.ts';
import { referenceData, referenceProperties } from '../schema/reference-data.ts';

const frameworkResource = auditedResource('framework', referenceProperties, { name: 'name' });

const frameworkSchema = defineEntity({ name: 'Framework', ...referenceData(frameworkResource) });

/** A standard that the company complies with: ISO 27001, SOC 2, … Each task and gap belongs to one framework. */
export class Framework extends frameworkSchema.class {
  static readonly writePrivileges = ['insert', 'update'] as const;
  static readonly resource = frameworkResource;
}
frameworkSchema.setClass(Framework);
