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
    /** Database sessions are spread over slots, so that concurrent creates seldom wait for each other. */
    slot: p.smallint().primary(),
    /** The sum over the slots is the number of tasks. A single slot may be negative. */
    tasks: p.integer(),
  },
  ...tenantIsolation(),
});

/** Number of tasks of a framework. Triggers on `task` maintain it, so that counting takes the same time for any number. */
export class TaskCount extends taskCountSchema.class {
  static readonly writePrivileges: WritePrivileges = ['insert', 'update'];
}
taskCountSchema.setClass(TaskCount);
