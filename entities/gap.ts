import { defineEntity, p } from '@mikro-orm/core';
import { MAX_NAME_LENGTH } from './company.ts';
import { Framework } from './framework.ts';
import { referenceTriggers } from './schema/reference-data.ts';
import { forbidTrigger } from './schema/triggers.ts';
import { tenantIsolation, companyKeyWithoutForeignKey } from './schema/tenancy.ts';
import type { WritePrivileges } from './schema/row-level-security.ts';

const gapSchema = defineEntity({
  name: 'Gap',
  properties: {
    ...companyKeyWithoutForeignKey,
    id: p.integer().primary().autoincrement(),
    framework: () => p.manyToOne(Framework).joinColumns('company_id', 'framework_id').updateRule('no action'),
    title: p.string().length(MAX_NAME_LENGTH),
    archivedAt: p.datetime(3).nullable(),
  },
  ...tenantIsolation(),
  checks: [{ name: 'gap_title_not_empty', expression: `title::text <> ''::text` }],
  triggers: [...referenceTriggers('gap'), forbidTrigger('gap', ['update of framework_id'])],
});

/** A shortfall against one framework, which tasks of that framework are to close. */
export class Gap extends gapSchema.class {
  static readonly writePrivileges: WritePrivileges = ['insert', 'update'];
}
gapSchema.setClass(Gap);
