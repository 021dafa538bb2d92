import { defineEntity, p } from '@mikro-orm/core';
import { Framework } from './framework.ts';
import { tenantIsolation, companyKeyWithoutForeignKey } from './schema/tenancy.ts';
import type { WritePrivileges } from './schema/row-level-security.ts';

const taskCountSchema = defineEntity({
  name: 'TaskCount',
  properties: {
    ...companyKeyWithoutForeignKey,
    framework: () =>
      p
        .manyToOne(Framework)
        .primary()
        .joinColumns('company_id', 'framework_id')
        .updateRule('no action')
        .deleteRule('no action'),
    /** Sessions of the database are spread over slots, so that those who create tasks at once seldom wait for each other. */
    slot: p.smallint().primary(),
    /** The tasks of the framework are the sum over its slots; one slot alone may be below zero. */
    tasks: p.integer(),
  },
  ...tenantIsolation(),
});

/** How many tasks a framework has: kept by the triggers of `task`, so that counting costs the same for any number. */
export class TaskCount extends taskCountSchema.class {
  static readonly writePrivileges: WritePrivileges = ['insert', 'update'];
}
taskCountSchema.setClass(TaskCount);
