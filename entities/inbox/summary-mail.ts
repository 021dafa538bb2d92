import { defineEntity, p } from '@mikro-orm/core';
import { Member } from '../member/member.ts';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';

const summaryMailSchema = defineEntity({
  name: 'SummaryMail',
  properties: {
    ...companyKeyWithoutForeignKey,
    member: () => companyReference(Member, 'member_id').primary().deleteRule('no action'),
    /** Day of the summary, in the time zone of the company. */
    day: p.date(),
    attempts: p.integer().default(0),
    /** Time of the next attempt. A process that takes the mail sets the end of its lease. */
    nextAttemptAt: p.datetime(6),
    createdAt: p.datetime(3),
  },
  ...tenantIsolation('select'),
  indexes: [{ name: 'summary_mail_due', properties: ['nextAttemptAt'] }],
});

/** A summary of the day that waits to be sent. A newer day replaces it. */
export class SummaryMail extends summaryMailSchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
}
summaryMailSchema.setClass(SummaryMail);
