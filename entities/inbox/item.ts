import { defineEntity, p } from '@mikro-orm/core';
import { Member } from '../member/member.ts';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation, companyKey } from '../schema/tenancy.ts';
import { frozenTrigger } from '../schema/triggers.ts';

/** Reasons for which a member is notified. Contract, sections 18 and 28. */
export const INBOX_REASONS = [
  'assigned',
  'mentioned',
  'approve',
  'question',
  'answer',
  'rejected',
  'status',
  'commented',
  'due',
  'overdue',
  'evidence',
  'import',
  'proof',
  'review',
  'contract',
  'key',
  'webhook',
  'account',
] as const;
export type InboxReason = (typeof INBOX_REASONS)[number];

/** The switch of a person for each reason that comes by mail. */
export const MAIL_SWITCHES = {
  assigned: 'assigned',
  mentioned: 'mentioned',
  approve: 'mentioned',
  question: 'mentioned',
  answer: 'mentioned',
  rejected: 'mentioned',
  commented: 'commented',
} as const satisfies Partial<Record<InboxReason, InboxReason>>;
export type MailReason = keyof typeof MAIL_SWITCHES;

/** Types of the resources that items are about. */
export const INBOX_RESOURCE_TYPES = [
  'task',
  'vendor',
  'requirement',
  'import',
  'apiKey',
  'webhook',
  'proof',
  'member',
] as const;
export type InboxResourceType = (typeof INBOX_RESOURCE_TYPES)[number];

/** Days for which an item stays readable. */
export const INBOX_RETENTION_DAYS = 90;
/** Maximum length of an occasion, in characters. */
const MAX_OCCASION_LENGTH = 40;

const ORDER = 'create index inbox_item_unread on inbox_item (company_id, member_id, id) where read_at is null';
/** Without company_id: a mail has the items of all companies of a person. */
const MAIL = 'create index inbox_item_to_mail on inbox_item (at) where to_mail and read_at is null';

const inboxItemSchema = defineEntity({
  name: 'InboxItem',
  properties: {
    ...companyKeyWithoutForeignKey,
    member: () => companyReference(Member, 'member_id').primary().deleteRule('no action'),
    /** Order of the list. */
    id: p.bigint().primary().autoincrement(),
    uniqueId: p.uuid(),
    at: p.datetime(3),
    reason: p.enum(INBOX_REASONS),
    resourceType: p.enum(INBOX_RESOURCE_TYPES),
    resourceId: p.uuid(),
    /** User who changed the resource; null if nobody did. */
    actorId: p.uuid().nullable(),
    /** The event that the item is about; null for a reminder and for the end of an import. */
    eventId: p.bigint().nullable(),
    /** Date of the resource and the days before it, or the end of an import. A resource has one item for each occasion. */
    occasion: p.string().length(MAX_OCCASION_LENGTH).nullable(),
    readAt: p.datetime(3).nullable(),
    /** True until a mail contains it, or until it is too old for one. */
    toMail: p.boolean().default(false),
  },
  ...tenantIsolation('select', 'delete'),
  uniques: [{ name: 'inbox_item_unique', properties: ['company', 'uniqueId'] }],
  indexes: [
    {
      name: 'inbox_item_of_event',
      expression:
        'create unique index inbox_item_of_event on inbox_item (company_id, event_id, member_id) where event_id is not null',
    },
    {
      name: 'inbox_item_of_occasion',
      expression:
        'create unique index inbox_item_of_occasion on inbox_item (company_id, resource_id, member_id, reason, occasion) where occasion is not null',
    },
    { name: 'inbox_item_unread', expression: ORDER },
    { name: 'inbox_item_to_mail', expression: MAIL },
    // Without company_id: the retention job looks for old rows of all companies at once.
    { name: 'inbox_item_by_time', properties: ['at'] },
  ],
  checks: [{ name: 'inbox_item_cause', expression: 'num_nonnulls(event_id, occasion) = 1' }],
  triggers: [frozenTrigger('inbox_item')],
});

/** An item that tells a member of a change, a date or an end. No event records it. Contract, section 18. */
export class InboxItem extends inboxItemSchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
}
inboxItemSchema.setClass(InboxItem);

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
