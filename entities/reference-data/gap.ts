import { defineEntity } from '@mikro-orm/core';
import { plainColumn } from '../fields/kind.ts';
import { name } from '../fields/text.ts';
import { Framework } from './framework.ts';
import { archivedAt, id, referenceResource, referenceTriggers } from '../schema/reference-data.ts';
import { forbidTrigger } from '../schema/triggers.ts';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';

export const gapResource = referenceResource('gap', 'title', {
  id,
  framework: plainColumn(() => companyReference(Framework, 'framework_id'), 'none'),
  title: name({
    description: 'What is missing',
    input: { description: 'Title of the gap' },
    example: 'No access review',
  }),
  archivedAt,
});

const gapSchema = defineEntity({
  name: 'Gap',
  properties: { ...companyKeyWithoutForeignKey, ...gapResource.properties },
  ...tenantIsolation(),
  checks: gapResource.checks,
  triggers: [...referenceTriggers(gapResource), forbidTrigger('gap', ['update of framework_id'])],
});

/** A shortfall against one framework. Tasks of that framework may refer to it. */
export class Gap extends gapSchema.class {
  static readonly writePrivileges = ['insert', 'update'] as const;
  static readonly resource = gapResource;
}
gapSchema.setClass(Gap);
