import { defineEntity, p } from '@mikro-orm/core';
import { Framework } from '../reference-data/reference-data.ts';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { statusCounts } from './status-counts.ts';

/** Days of the history of counts, today included. */
export const TASK_HISTORY_DAYS = 90;
/** Days after which a row is deleted, except the newest one before them. */
export const TASK_HISTORY_RETENTION_DAYS = 100;

const taskStatusDaySchema = defineEntity({
  name: 'TaskStatusDay',
  properties: {
    ...companyKeyWithoutForeignKey,
    framework: () => companyReference(Framework, 'framework_id').primary().deleteRule('no action'),
    /** Day in UTC. */
    day: p.date().primary(),
    ...statusCounts(),
  },
  ...tenantIsolation('select', 'insert', 'update', 'delete'),
});

/** Number of tasks of a framework by status at the end of a day. A day without a row has the numbers of the day before. */
export class TaskStatusDay extends taskStatusDaySchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
}
taskStatusDaySchema.setClass(TaskStatusDay);
