import { defineEntity } from '@mikro-orm/core';
import { referenceData } from './reference-data.ts';

const schema = defineEntity({ name: 'Framework', ...referenceData('framework') });

/** What a company complies with: ISO 27001, SOC 2, … Tasks and gaps belong to one. */
export class Framework extends schema.class {}
schema.setClass(Framework);
