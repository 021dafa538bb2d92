import { defineEntity, p } from '@mikro-orm/core';
import { MAX_NAME_LENGTH } from '../company/company.ts';
import { Framework } from './framework.ts';
import { auditedResource } from '../schema/audited-resource.ts';
import { referenceTriggers } from '../schema/reference-data.ts';
import { forbidTrigger } from '../schema/triggers.ts';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';

const properties = {
  id: p.integer().primary().autoincrement(),
  framework: () => companyReference(Framework, 'framework_id'),
  title: p.string().length(MAX_NAME_LENGTH),
  archivedAt: p.datetime(3).nullable(),
};

const gapResource = auditedResource('gap', properties, { name: 'title' });

const gapSchema = defineEntity({
  name: 'Gap',
  properties: { ...companyKeyWithoutForeignKey, ...properties },
  ...tenantIsolation(),
  checks: [{ name: 'gap_title_not_empty', expression: `title::text <> ''::text` }],
  triggers: [...referenceTriggers(gapResource), forbidTrigger('gap', ['update of framework_id'])],
});

/** A shortfall against one framework. Tasks of that framework may refer to it. */
export class Gap extends gapSchema.class {
  static readonly writePrivileges = ['insert', 'update'] as const;
  static readonly resource = gapResource;
}
gapSchema.setClass(Gap);
