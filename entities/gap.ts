import { defineEntity, p } from '@mikro-orm/core';
import { NAME_LENGTH } from './company.ts';
import { Framework } from './framework.ts';
import { keptReference } from './reference-data.ts';
import { refuses } from './triggers.ts';
import { keptApart, ofCompanyThroughAnother } from './tenancy.ts';
import type { WritePrivileges } from './policies.ts';

const schema = defineEntity({
  name: 'Gap',
  properties: {
    ...ofCompanyThroughAnother,
    id: p.integer().primary().autoincrement(),
    framework: () => p.manyToOne(Framework).joinColumns('company_id', 'framework_id').updateRule('no action'),
    title: p.string().length(NAME_LENGTH),
    archivedAt: p.datetime(3).nullable(),
  },
  ...keptApart(),
  checks: [{ name: 'gap_titled', expression: `title::text <> ''::text` }],
  triggers: [...keptReference('gap'), refuses('gap', ['update of framework_id'])],
});

/** A shortfall against one framework, which tasks of that framework are to close. */
export class Gap extends schema.class {
  static readonly writePrivileges: WritePrivileges = ['insert', 'update'];
}
schema.setClass(Gap);
