import { isWritable } from '../company/closing.ts';
import { emailOf } from '../person/person.ts';
import { KINDS_OF_PERSON } from '../person/notifications.ts';
import type { MailKind } from '../person/notifications.ts';
import { bookkeepingWrite, defineStatement, readStatement } from '../statements/define-statement.ts';
import { MAIL_SWITCHES } from './item.ts';
import type { InboxResourceType, MailReason } from './item.ts';
import { JOIN_VISIBLE_RESOURCE } from './items.ts';

/** Seconds for which a process may send the mail of a person. Another process then sends it. */
export const LEASE_SECONDS = 60;
/** Maximum number of lines of a mail. */
export const MAX_LINES = 20;
/** Characters of a description that are read for its start. The others need not leave the database. */
const DESCRIPTION_LENGTH = 4000;
/** Maximum number of items that one statement unmarks, which keeps it short. */
export const UNMARK_BATCH_SIZE = 500;

/** A person with items to mail. */
export interface MailedPerson {
  person: string;
  email: string;
  /** Attempts since the last mail, with this one. */
  attempts: number;
  /** End of the lease. The outcome is recorded only while it is unchanged. */
  lease: string;
  isRefused: boolean;
  /** Kinds that are on. */
  kinds: MailKind[];
}

/** Takes persons with items up to a time. Skips persons whom another process takes. */
export const claimPersons = defineStatement<{ now: string; until: string; limit: number }, MailedPerson>(
  'mail.claim-persons',
  ({
    now,
    until,
    limit,
  }) => `update person p set mail_attempts = p.mail_attempts + 1, mail_next_attempt_at = ${now}::timestamptz + interval '${LEASE_SECONDS} seconds'
  where p.unique_id = any(array(
    select due.unique_id from person due
    where (due.mail_next_attempt_at is null or due.mail_next_attempt_at <= ${now}::timestamptz) and due.unique_id in (
      select m.person_id from inbox_item i join member m on m.company_id = i.company_id and m.unique_id = i.member_id
      where i.to_mail and i.read_at is null and i.at <= ${until}::timestamptz and ${isWritable('i.company_id')})
    order by due.mail_next_attempt_at nulls first limit ${limit}::int for update skip locked))
  returning p.unique_id as person, ${emailOf('p')} as email, p.mail_attempts as attempts, p.mail_next_attempt_at::text as lease,
    p.mail_refused_at is not null as "isRefused", ${KINDS_OF_PERSON} as kinds`,
  'all companies',
);

/** A member with items to mail, up to the newest one. */
export interface MailedMember {
  company: number;
  companyName: string;
  member: string;
  upTo: string;
}

/** The memberships of a person that have items to mail, also ended ones. */
export const findMailedMembers = readStatement<{ person: string }, MailedMember>(
  'mail.members',
  ({
    person,
  }) => `select m.company_id as company, c.name as "companyName", m.unique_id as member, max(i.id)::text as "upTo"
  from member m join company c on c.id = m.company_id
  join inbox_item i on i.company_id = m.company_id and i.member_id = m.unique_id
  where m.person_id = ${person}::uuid and i.to_mail and i.read_at is null and ${isWritable('c.id')}
  group by m.company_id, c.name, m.unique_id order by m.company_id`,
  'all companies',
);

/** An item to mail. */
export interface MailLine {
  reason: MailReason;
  resource_type: InboxResourceType;
  resource_id: string;
  title: string;
  /** Facts about a task that was assigned; null for other items. The date is `YYYY-MM-DD`, the description may be cut off. */
  dueDate: string | null;
  framework: string | null;
  description: string | null;
  actor: string | null;
  at: string;
  /** Number of all items, also of those beyond the maximum. */
  total: number;
  /** True if one of all items is from before the given time. */
  isDue: boolean;
}

/** SQL of the switch for the reason of the item `i`. */
const SWITCH = `case i.reason ${Object.entries(MAIL_SWITCHES)
  .map(([reason, kind]) => `when '${reason}' then '${kind}'`)
  .join(' ')} end`;

/** Items of a member to mail that the member may see now, the newest first. @param until time for `isDue` */
export const readMailLines = readStatement<
  { member: string; upTo: string; kinds: readonly MailKind[]; until: string },
  MailLine
>(
  'mail.lines',
  ({ company, member, upTo, kinds, until }) => `with m as materialized (
    select * from member where company_id = ${company} and unique_id = ${member}::uuid),
  newest as materialized (
    select i.id, i.reason, i.resource_type, i.resource_id, i.actor_id, i.at, resource.title,
      (count(*) over ())::int as total, min(i.at) over () as oldest
    from m join inbox_item i on i.company_id = m.company_id and i.member_id = m.unique_id
    ${JOIN_VISIBLE_RESOURCE}
    where i.company_id = ${company} and i.member_id = ${member}::uuid and i.id <= ${upTo}::bigint
      and i.to_mail and i.read_at is null and ${SWITCH} = any(${kinds}::text[])
    order by i.id desc limit ${MAX_LINES})
  select n.reason, n.resource_type, n.resource_id, n.at, n.title, n.total, n.oldest <= ${until}::timestamptz as "isDue",
    a.name as actor, t.due_date::text as "dueDate", f.name as framework, left(t.description, ${DESCRIPTION_LENGTH}) as description
  from newest n
  left join company_user a on a.company_id = ${company} and a.unique_id = n.actor_id
  left join task t on n.reason = 'assigned' and n.resource_type = 'task' and t.company_id = ${company} and t.unique_id = n.resource_id
  left join framework f on f.company_id = ${company} and f.id = t.framework_id
  order by n.id desc`,
);

/** Marks items of a member as not to mail, up to an id and a time. */
export const unmarkItems = bookkeepingWrite<
  { member: string; upTo: string; until: string | null },
  { unmarked: number }
>(
  'mail.unmark',
  ({ company, member, upTo, until }) => `with unmarked as (
    update inbox_item set to_mail = false
    where company_id = ${company} and member_id = ${member}::uuid and id = any(array(
      select id from inbox_item
      where company_id = ${company} and member_id = ${member}::uuid and id <= ${upTo}::bigint and to_mail
        and (${until}::timestamptz is null or at <= ${until}::timestamptz)
        and read_at is null
      order by id limit ${UNMARK_BATCH_SIZE}))
    returning 1)
  select count(*)::int as unmarked from unmarked`,
);

/** Ends the lease of a person. @param nextAttemptAt null after a success, which resets the attempts */
export const releasePerson = defineStatement<{ person: string; lease: string; nextAttemptAt: string | null }, never>(
  'mail.release-person',
  ({ person, lease, nextAttemptAt }) => `update person set mail_next_attempt_at = ${nextAttemptAt}::timestamptz,
    mail_attempts = case when ${nextAttemptAt}::timestamptz is null then 0 else mail_attempts end
  where unique_id = ${person}::uuid and mail_next_attempt_at = ${lease}::timestamptz`,
  'all companies',
);

/** Age in seconds of the oldest item, summary or queued mail of open companies that waits, for metrics. */
export const findOldestMail = readStatement<object, { oldestSeconds: number }>(
  'mail.oldest',
  `select coalesce(extract(epoch from now() - least(
    (select min(at) from inbox_item where to_mail and read_at is null and ${isWritable('company_id')}),
    (select min(created_at) from summary_mail where ${isWritable('company_id')}),
    (select min(created_at) from queued_mail
      where content is not null and (company_id is null or ${isWritable('company_id')})))), 0)::float8 as "oldestSeconds"`,
  'all companies',
);
