import { defineEntity, p } from '@mikro-orm/core';
import { Member } from '../member/member.ts';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { Task } from '../task/task.ts';
import { Vendor } from '../vendor/vendor.ts';
import { frozenTrigger } from '../schema/triggers.ts';

/** Index with one row of a member for each watched resource. */
const indexOf = (parent: string) =>
  `create unique index watch_of_${parent} on watch (company_id, ${parent}_id, member_id) where ${parent}_id is not null`;

const watchSchema = defineEntity({
  name: 'Watch',
  properties: {
    ...companyKeyWithoutForeignKey,
    uniqueId: p.uuid().primary(),
    member: () => companyReference(Member, 'member_id').deleteRule('no action'),
    task: () => companyReference(Task, 'task_id').nullable().deleteRule('cascade'),
    vendor: () => companyReference(Vendor, 'vendor_id').nullable().deleteRule('cascade'),
    watching: p.boolean(),
  },
  ...tenantIsolation(),
  indexes: [
    { name: 'watch_of_task', expression: indexOf('task') },
    { name: 'watch_of_vendor', expression: indexOf('vendor') },
  ],
  checks: [{ name: 'watch_one_resource', expression: 'num_nonnulls(task_id, vendor_id) = 1' }],
  triggers: [frozenTrigger('watch')],
});

/** The choice of a member to watch a task or vendor, or not to. Without a row, what they did with it decides. */
export class Watch extends watchSchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
}
watchSchema.setClass(Watch);
