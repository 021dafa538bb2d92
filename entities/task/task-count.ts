import { defineEntity, p } from '@mikro-orm/core';
import { Framework } from '../reference-data/reference-data.ts';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { statusCounts } from './status-counts.ts';

const taskCountSchema = defineEntity({
  name: 'TaskCount',
  properties: {
    ...companyKeyWithoutForeignKey,
    framework: () => companyReference(Framework, 'framework_id').primary().deleteRule('no action'),
    /**
     * Database sessions are spread over slots, so that concurrent writes seldom wait for each other. Creates and deletes use the
     * slots below 16, changes of the status the others.
     */
    slot: p.smallint().primary(),
    /** The sum over the slots is the number of tasks. A single slot may be negative. */
    tasks: p.integer(),
    ...statusCounts(),
  },
  ...tenantIsolation('select'),
});

/**
 * Number of tasks of a framework, in all and by status. Triggers on `task` maintain it, so that counting takes the same time
 * for any number.
 */
export class TaskCount extends taskCountSchema.class {
  static readonly writePrivileges = ['insert', 'update'] as const;
}
taskCountSchema.setClass(TaskCount);
