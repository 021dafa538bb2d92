import { defineEntity, p } from '@mikro-orm/core';
import { companyKey, tenantIsolation } from '../schema/tenancy.ts';

const inboxReaderSchema = defineEntity({
  name: 'InboxReader',
  properties: {
    company: () => companyKey.company().deleteRule('no action'),
    /** Number of the last seal whose event has its items. */
    position: p.bigint().default(0),
    /** Events up to this id make no items: they are from before the inbox. */
    skipUntilId: p.bigint().default(0),
    /** Day of the last reminders, in the time zone of the company; null before the first ones. */
    remindedOn: p.date().nullable(),
  },
  ...tenantIsolation('select', 'insert'),
});

/** Position of the inboxes of a company in its seals, and the day of their last reminders. Its row is their lock. */
export class InboxReader extends inboxReaderSchema.class {
  static readonly writePrivileges = ['insert', 'update'] as const;
}
inboxReaderSchema.setClass(InboxReader);
