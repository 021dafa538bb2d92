import { defineEntity } from '@mikro-orm/core';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { Vendor } from '../vendor/vendor.ts';
import { Task } from './task.ts';

const taskVendorSchema = defineEntity({
  name: 'TaskVendor',
  properties: {
    ...companyKeyWithoutForeignKey,
    vendor: () => companyReference(Vendor, 'vendor_id').primary().deleteRule('no action'),
    task: () => companyReference(Task, 'task_id').primary().deleteRule('cascade'),
  },
  ...tenantIsolation(),
  indexes: [{ name: 'task_vendor_by_task', properties: ['company', 'task'] }],
});

/**
 * The vendors of tasks, one row for each: foreign keys, and an index by vendor. A trigger on `task` keeps the rows equal to its column
 * `vendors`. An index of arrays would not serve, as PostgreSQL evaluates the policies of row-level security before their operators.
 */
export class TaskVendor extends taskVendorSchema.class {
  static readonly writePrivileges = ['insert', 'delete'] as const;
}
taskVendorSchema.setClass(TaskVendor);
