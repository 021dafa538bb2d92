import { defineEntity, p } from '@mikro-orm/core';
import { isWritable } from '../company/closing.ts';
import { emailOf } from '../person/person.ts';
import { KINDS_OF_PERSON } from '../person/notifications.ts';
import type { MailKind } from '../person/notifications.ts';
import { frameworkCondition } from '../schema/access.ts';
import { bookkeepingWrite, readStatement } from '../statements/define-statement.ts';
import { OPEN_STATUSES } from '../task/task.ts';
import { Member } from '../member/member.ts';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { LEASE_SECONDS, MAX_LINES } from './mailing.ts';

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

/** A summary that is due, with its member. */
export interface DueSummary {
  company: number;
  companyName: string;
  timeZone: string;
  member: string;
  person: string;
  email: string;
  isRefused: boolean;
  /** Kinds of mails that are on. */
  kinds: MailKind[];
}

/** Summaries of all companies that are due, the oldest first. */
export const findDueSummaries = readStatement<{ now: string; limit: number }, DueSummary>(
  'summary.due',
  ({
    now,
    limit,
  }) => `select s.company_id as company, c.name as "companyName", c.time_zone as "timeZone", s.member_id as member,
    p.unique_id as person, ${emailOf('p')} as email, p.mail_refused_at is not null as "isRefused", ${KINDS_OF_PERSON} as kinds
  from summary_mail s join company c on c.id = s.company_id
  join member m on m.company_id = s.company_id and m.unique_id = s.member_id
  join person p on p.unique_id = m.person_id
  where s.next_attempt_at <= ${now}::timestamptz and ${isWritable('s.company_id')} order by s.next_attempt_at limit ${limit}::int`,
  'all companies',
);

/** A summary that this process may send until the end of its lease. */
export interface ClaimedSummary {
  attempts: number;
  createdAt: string;
  lease: string;
}

/** Takes a summary of the company. No row if another process has taken it. */
export const claimSummary = bookkeepingWrite<{ member: string; now: string }, ClaimedSummary>(
  'summary.claim',
  ({ company, member, now }) => `update summary_mail set attempts = attempts + 1,
    next_attempt_at = ${now}::timestamptz + interval '${LEASE_SECONDS} seconds'
  where company_id = ${company} and member_id = ${member}::uuid and next_attempt_at <= ${now}::timestamptz
    and ${isWritable(company)}
  returning attempts, created_at as "createdAt", next_attempt_at::text as lease`,
);

/** A task in a summary. */
export interface SummaryTask {
  unique_id: string;
  title: string;
  /** As `YYYY-MM-DD`. */
  dueDate: string;
  /** Number of all such tasks, and of those whose date has passed. */
  total: number;
  overdue: number;
}

/** Open tasks of a member that are due up to a day, by date. The member may see them now. */
export const readSummaryTasks = readStatement<{ member: string; today: string; lastDay: string }, SummaryTask>(
  'summary.tasks',
  ({ company, member, today, lastDay }) => `select t.unique_id, t.title, t.due_date::text as "dueDate",
    (count(*) over ())::int as total, (count(*) filter (where t.due_date < ${today}::date) over ())::int as overdue
  from task t join framework f on f.company_id = t.company_id and f.id = t.framework_id and f.archived_at is null
  join member m on m.company_id = t.company_id and m.unique_id = t.assignee_id and m.ended_at is null
  where t.company_id = ${company} and t.assignee_id = ${member}::uuid and t.due_date <= ${lastDay}::date
    and t.status in (${OPEN_STATUSES.map((status) => `'${status}'`).join(', ')})
    and ${frameworkCondition('t.framework_id', 'm.frameworks')}
  order by t.due_date, t.unique_id limit ${MAX_LINES}`,
);

interface SummaryKey {
  member: string;
  lease: string;
}

/** Deletes a summary that was sent or is not tried again. */
export const deleteSummary = bookkeepingWrite<SummaryKey, never>(
  'summary.delete',
  ({ company, member, lease }) => `delete from summary_mail
  where company_id = ${company} and member_id = ${member}::uuid and next_attempt_at = ${lease}::timestamptz`,
);

export const deferSummary = bookkeepingWrite<SummaryKey & { nextAttemptAt: string }, never>(
  'summary.defer',
  ({
    company,
    member,
    lease,
    nextAttemptAt,
  }) => `update summary_mail set next_attempt_at = ${nextAttemptAt}::timestamptz
  where company_id = ${company} and member_id = ${member}::uuid and next_attempt_at = ${lease}::timestamptz`,
);
