import { defineEntity, p } from '@mikro-orm/core';
import { Company } from '../company/company.ts';
import { MAX_EMAIL_LENGTH } from '../member/role.ts';
import { personReference } from '../person/person.ts';
import { crossCompanyOnly } from '../schema/row-level-security.ts';
import { isUnfrozen, isWritable } from '../company/closing.ts';
import { LEASE_SECONDS } from '../inbox/mailing.ts';
import { defineStatement, readStatement, retentionStatement } from '../statements/define-statement.ts';

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
    /** The encrypted mail, which may have a link that signs a person in; null once it was sent or is not tried again. */
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

/** Maximum number of mails in 24 hours to an address that is not proven. Further ones are left out. Contract, section 31. */
export const MAX_MAILS_TO_STRANGER = 20;
/** Hours for which a mail counts, and its row stays. */
const MAIL_COUNT_HOURS = 24;

/** Condition for an address that nobody has proven to read, in SQL. @param email SQL of the address, in lower case */
const isOfStranger = (email: string) =>
  `not exists (select from person proven where proven.email = ${email} and proven.proven_at is not null)`;

/** Queues a mail. It belongs to the transaction of the change that the mail is about. */
export const insertQueuedMail = defineStatement<
  {
    uniqueId: string;
    kind: QueuedMailKind;
    email: string;
    person: string | null;
    ofCompany: number | null;
    content: string;
    expiresAt: string;
  },
  never
>(
  'mail.queue',
  ({ uniqueId, kind, email, person, ofCompany, content, expiresAt }) => `insert into queued_mail
    (unique_id, kind, email, person_id, company_id, content, expires_at)
  values (${uniqueId}, ${kind}, ${email}, ${person}, ${ofCompany}, ${content}, ${expiresAt})`,
  'all companies',
);

/** A mail that this process sends. */
export interface ClaimedMail {
  uniqueId: string;
  /** uniqueId of the person to whom the mail goes; null for an address that belongs to no account. */
  person: string | null;
  /** The encrypted mail. */
  content: string;
  expiresAt: string;
  /** Attempts with this one. */
  attempts: number;
  /** End of the lease. The outcome is recorded only while it is unchanged. */
  lease: string;
}

/** Takes mails that are due, and skips those that another process takes. Those of a closed or frozen company wait. */
export const claimQueuedMails = defineStatement<{ now: string; limit: number }, ClaimedMail>(
  'mail.claim-queued',
  ({
    now,
    limit,
  }) => `update queued_mail q set attempts = q.attempts + 1, next_attempt_at = ${now}::timestamptz + interval '${LEASE_SECONDS} seconds'
  where q.unique_id = any(array(
    select due.unique_id from queued_mail due
    where due.content is not null and due.next_attempt_at <= ${now}::timestamptz
      and (due.company_id is null or ${isWritable('due.company_id')})
    order by due.next_attempt_at limit ${limit}::int for update skip locked))
  returning q.unique_id as "uniqueId", q.person_id as person, q.content, q.expires_at as "expiresAt", q.attempts,
    q.next_attempt_at::text as lease`,
  'all companies',
);

/**
 * Deletes a mail beyond the maximum of its address, and returns it. Those that were sent count, and those that were queued before.
 * The others are not counted, so that a mail that is left out does not count.
 */
export const leaveOutMail = defineStatement<{ uniqueId: string }, { unique_id: string }>(
  'mail.leave-out',
  ({ uniqueId }) => `delete from queued_mail q
  where q.unique_id = ${uniqueId}::uuid and ${isOfStranger('q.email')} and ${MAX_MAILS_TO_STRANGER} <= (
    select count(*) from queued_mail other
    where other.email = q.email and other.created_at > q.created_at - interval '${MAIL_COUNT_HOURS} hours'
      and (other.content is null or (other.created_at, other.unique_id) < (q.created_at, q.unique_id))
      and other.unique_id <> q.unique_id)
  returning q.unique_id`,
  'all companies',
);

interface QueuedMailLease {
  uniqueId: string;
  lease: string;
}

/** Removes the content of a mail that was sent or is not tried again. */
export const endQueuedMail = defineStatement<QueuedMailLease, never>(
  'mail.end-queued',
  ({ uniqueId, lease }) => `update queued_mail set content = null
  where unique_id = ${uniqueId}::uuid and next_attempt_at = ${lease}::timestamptz`,
  'all companies',
);

/**
 * Ends a mail whose link was replaced, and returns it: the mail of the new link is queued or was sent. One invitation is open for an email
 * in a company, and one reset link for a person.
 */
export const endReplacedMail = defineStatement<{ uniqueId: string }, { unique_id: string }>(
  'mail.end-replaced',
  ({ uniqueId }) => `update queued_mail q set content = null
  where q.unique_id = ${uniqueId}::uuid and exists (
    select from queued_mail newer
    where newer.kind = q.kind and (newer.created_at, newer.unique_id) > (q.created_at, q.unique_id)
      and (q.kind = 'invitation' and newer.email = q.email and newer.company_id = q.company_id
        or q.kind = 'reset' and newer.person_id = q.person_id))
  returning q.unique_id`,
  'all companies',
);

/** Sets the time of the next attempt. */
export const deferQueuedMail = defineStatement<QueuedMailLease & { nextAttemptAt: string }, never>(
  'mail.defer-queued',
  ({ uniqueId, lease, nextAttemptAt }) => `update queued_mail set next_attempt_at = ${nextAttemptAt}::timestamptz
  where unique_id = ${uniqueId}::uuid and next_attempt_at = ${lease}::timestamptz`,
  'all companies',
);

/** True if an address has as many mails of the last 24 hours as a stranger gets. */
export const isAddressFull = readStatement<{ email: string; now: string }, { isFull: boolean }>(
  'mail.is-address-full',
  ({ email, now }) => `select ${isOfStranger(`${email}::text`)} and ${MAX_MAILS_TO_STRANGER} <= (
    select count(*) from queued_mail
    where email = ${email} and created_at > ${now}::timestamptz - interval '${MAIL_COUNT_HOURS} hours') as "isFull"`,
  'all companies',
);

/** Records a mail that was made when it was sent, so that it counts for an address that is not proven. */
export const recordSentMail = defineStatement<
  { uniqueId: string; kind: QueuedMailKind; email: string; person: string; now: string },
  never
>(
  'mail.record-sent',
  ({ uniqueId, kind, email, person, now }) => `insert into queued_mail
    (unique_id, kind, email, person_id, attempts, expires_at, created_at)
  select ${uniqueId}::uuid, ${kind}, ${email}::text, ${person}::uuid, 1, ${now}::timestamptz, ${now}::timestamptz
  where ${isOfStranger(`${email}::text`)}`,
  'all companies',
);

/** Deletes mails that no longer count, and those of closed companies whose links have expired. */
export const deleteOldMails = retentionStatement('mail.delete-old', (limit, now) => [
  `delete from queued_mail where unique_id = any(array(
    select unique_id from queued_mail
    where created_at <= ${now}::timestamptz - interval '${MAIL_COUNT_HOURS} hours'
      and (content is null or expires_at <= ${now}::timestamptz)
      and (company_id is null or ${isUnfrozen('company_id')})
    limit ${limit}))`,
]);

/** Maximum number of mails in one read of their contents. */
export const CONTENT_BATCH_SIZE = 500;

/** Encrypted contents of all mails that wait, after a mail. */
export const listMailContents = readStatement<{ after: string | null }, { uniqueId: string; content: string }>(
  'mail.contents',
  ({ after }) => `select unique_id as "uniqueId", content from queued_mail
  where content is not null and (${after}::uuid is null or unique_id > ${after}::uuid)
  order by unique_id limit ${CONTENT_BATCH_SIZE}`,
  'all companies',
);

/** Replaces the content of a mail. No row if it was sent meanwhile. */
export const replaceMailContent = defineStatement<
  { uniqueId: string; before: string; after: string },
  { unique_id: string }
>(
  'mail.replace-content',
  ({ uniqueId, before, after }) => `update queued_mail set content = ${after}
  where unique_id = ${uniqueId}::uuid and content = ${before} returning unique_id`,
  'all companies',
);
