import { defineEntity, p } from '@mikro-orm/core';
import { Company } from '../company/company.ts';
import { MAX_EMAIL_LENGTH } from '../member/role.ts';
import { personReference } from '../person/person.ts';
import { crossCompanyOnly } from '../schema/row-level-security.ts';

/** Kinds of mails. Items and summaries are made when they are sent, and are only counted here. Contract, section 31. */
export const QUEUED_MAIL_KINDS = ['invitation', 'reset', 'email', 'account', 'items', 'summary'] as const;
export type QueuedMailKind = (typeof QUEUED_MAIL_KINDS)[number];

const queuedMailSchema = defineEntity({
  name: 'QueuedMail',
  properties: {
    uniqueId: p.uuid().primary(),
    kind: p.enum(QUEUED_MAIL_KINDS),
    /** In lower case. It may belong to no person. */
    email: p.string().length(MAX_EMAIL_LENGTH),
    /** Person to whom the mail goes; null for an address that belongs to no account. */
    person: () => personReference().nullable(),
    /** Company in whose name it is sent: nothing goes out while it is closed or frozen. Null for a mail of the service. */
    company: () =>
      p.manyToOne(Company).joinColumn('company_id').nullable().updateRule('no action').deleteRule('no action'),
    /** The encrypted mail, which may have a link that signs a person in; null once it was sent or given up. */
    content: p.text().hidden().nullable(),
    /** Time until which it is tried: the end of its link. */
    expiresAt: p.datetime(3),
    /** Attempts so far, and the time of the next one or the end of a lease. */
    attempts: p.integer().default(0),
    nextAttemptAt: p.datetime(6).defaultRaw('now()'),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  ...crossCompanyOnly,
  indexes: [
    { name: 'queued_mail_by_email', properties: ['email', 'createdAt'] },
    { name: 'queued_mail_by_person', properties: ['person', 'createdAt'] },
    { name: 'queued_mail_by_time', properties: ['createdAt'] },
    {
      name: 'queued_mail_waiting',
      expression: 'create index queued_mail_waiting on queued_mail (next_attempt_at) where content is not null',
    },
  ],
  checks: [{ name: 'queued_mail_email_lower_case', expression: `email::text = lower(email::text)` }],
});

/** A mail that waits for the mail server. It stays for a day without its content, for the limits of mails to an address. */
export class QueuedMail extends queuedMailSchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
}
queuedMailSchema.setClass(QueuedMail);
