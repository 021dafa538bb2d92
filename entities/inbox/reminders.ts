import { isWritable } from '../company/closing.ts';
import { EXPIRING_DAYS } from '../evidence/evidence.ts';
import { isExpiring } from '../evidence/expiring.ts';
import { OPEN_STATUSES } from '../task/task.ts';
import { bookkeepingWrite, readStatement } from '../statements/define-statement.ts';

/** Number of days before the expiry of a key at which admins are notified. */
const KEY_EXPIRY_DAYS = 14;
/** Days before a due date within which a task belongs to the summary of the day. */
const SUMMARY_DAYS = 7;
/** Reminders of a task, and the days before its due date on which each comes. */
const STAGES = [
  { reason: 'due', daysBefore: 7 },
  { reason: 'due', daysBefore: 0 },
  { reason: 'overdue', daysBefore: -1 },
] as const;

/** Reminders of a vendor, with the column of their date. */
const VENDOR_STAGES = [
  { reason: 'review', column: 'next_review', daysBefore: 30 },
  { reason: 'review', column: 'next_review', daysBefore: 0 },
  { reason: 'contract', column: 'contract_end', daysBefore: 60 },
] as const;

/** The time zone of a company, and the day of its last reminders. */
export interface ReminderState {
  id: number;
  timeZone: string;
  remindedOn: string | null;
}

/** The states of companies for which jobs work. */
export const listReminderStates = readStatement<object, ReminderState>(
  'inbox.reminder-states',
  `select c.id, c.time_zone as "timeZone", r.reminded_on::text as "remindedOn"
  from company c join inbox_reader r on r.company_id = c.id where ${isWritable('c.id')} order by c.id`,
  'all companies',
);

/** Days with reminders, and the time of the reminders on each of them. */
export interface ReminderDays {
  days: readonly string[];
  times: readonly string[];
  /** Day of the reminders before them. */
  remindedOn: string | null;
  /** The last day. */
  today: string;
  now: string;
  hasMail: boolean;
}

const OPEN_TASKS = OPEN_STATUSES.map((status) => `'${status}'`).join(', ');

/** SQL of the open tasks of members in frameworks that are not archived. @param due condition for `t.due_date` */
const openTasks = (company: string, due: string) => `(
      select t.unique_id, t.assignee_id, t.due_date from framework f cross join lateral (
        select * from task where company_id = ${company} and framework_id = f.id
          and status in (${OPEN_TASKS})) t
      where f.company_id = ${company} and f.archived_at is null and t.assignee_id is not null and ${due})`;

/**
 * SQL of the objects whose evidence is expiring on the days, with the member whose evidence it is: the assignee of its task, or
 * who added it if the task has none, and for a vendor. Each date of an object is one occasion. On the last day also evidence
 * whose date was set since.
 */
const objectsWithExpiringEvidence = (company: string, today: string) => `
    select case when t.unique_id is null then 'vendor' else 'task' end as type, coalesce(t.unique_id, v.unique_id) as unique_id,
      coalesce(t.assignee_id, e.created_by_id) as member_id, e.valid_until || '/${EXPIRING_DAYS}' as occasion
    from day d
    join evidence e on e.company_id = ${company} and e.valid_until >= d.day and ${isExpiring('e', `(d.day + ${EXPIRING_DAYS})`)}
      and (d.day = ${today}::date or e.updated_at < d.at)
    left join task t on t.company_id = e.company_id and t.unique_id = e.task_id and t.status in (${OPEN_TASKS})
      and exists (select from framework f where f.company_id = t.company_id and f.id = t.framework_id and f.archived_at is null)
    left join vendor v on v.company_id = e.company_id and v.unique_id = e.vendor_id and v.status <> 'archived'
    where coalesce(t.unique_id, v.unique_id) is not null`;

/** Condition: no event since the time of a reminder has one of the columns, so that a date or person set since is not caught up. */
const unchangedSince = (company: string, type: string, id: string, columns: readonly string[]) => `not exists (
      select from audit_event e
      where e.company_id = ${company} and e.resource_type = '${type}' and e.resource_id = ${id}::text
        and e.occurred_at >= d.at and e.changes ?| array[${columns.map((column) => `'${column}'`).join(', ')}])`;

/** SQL of the vendors with a date that a stage reminds of, with their owners. */
const datedVendors = (company: string) =>
  VENDOR_STAGES.map(
    ({ reason, column, daysBefore }) => `
    select '${reason}' as reason, v.unique_id, v.owner_id, v.${column} || '/${daysBefore}' as occasion
    from day d join vendor v on v.company_id = ${company} and v.${column} = d.day + ${daysBefore}
      and v.owner_id is not null and v.status <> 'archived'
    where ${unchangedSince(company, 'vendor', 'v.unique_id', [column, 'owner_id'])}`,
  ).join(' union all ');

/**
 * Adds the reminders of days, and the summaries of the last day that are to be sent by mail. A reminder whose time was past when
 * the date or the person was set is left out. Skips a company that another process reminds or has reminded; `moved` is then false.
 */
export const addReminders = bookkeepingWrite<ReminderDays, { moved: boolean; items: number }>(
  'inbox.remind',
  ({ company, days, times, remindedOn, today, now, hasMail }) => `with reader as materialized (
    select company_id from inbox_reader
    where company_id = ${company} and reminded_on is not distinct from ${remindedOn}::date for no key update skip locked),
  day as materialized (
    select d.day, d.at from reader cross join unnest(${days}::date[], ${times}::timestamptz[]) d(day, at)),
  stage (reason, days_before) as (values ${STAGES.map(({ reason, daysBefore }) => `('${reason}', ${daysBefore})`).join(', ')}),
  due as (
    select s.reason, t.unique_id, t.assignee_id, t.due_date || '/' || s.days_before as occasion
    from day d cross join stage s cross join lateral ${openTasks(company, 't.due_date = d.day + s.days_before')} t
    where ${unchangedSince(company, 'task', 't.unique_id', ['due_date', 'assignee_id'])}),
  dated as (${datedVendors(company)}),
  expiring as (
    select k.unique_id, m.unique_id as admin_id,
      to_char(k.expires_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS') || '/${KEY_EXPIRY_DAYS}' as occasion
    from (select max(at) as at from day) d
    join api_key k on k.company_id = ${company} and k.enabled and k.revoked_at is null
      and k.expires_at > d.at and k.expires_at <= d.at + interval '${KEY_EXPIRY_DAYS} days'
    join member m on m.company_id = ${company} and m.role = 'admin'),
  proven as (${objectsWithExpiringEvidence(company, today)}),
  reminder as (
    select reason, 'task' as type, unique_id, assignee_id as member_id, occasion from due
    union all select reason, 'vendor', unique_id, owner_id, occasion from dated
    union all select 'evidence', type, unique_id, member_id, occasion from proven
    union all select 'key', 'apiKey', unique_id, admin_id, occasion from expiring),
  added as (
    insert into inbox_item (company_id, member_id, unique_id, at, reason, resource_type, resource_id, occasion)
    select ${company}::int, m.unique_id, uuid_v7(), ${now}::timestamptz, r.reason, r.type, r.unique_id, r.occasion
    from reminder r join member m on m.company_id = ${company} and m.unique_id = r.member_id and m.ended_at is null
    order by r.occasion, r.unique_id
    on conflict do nothing returning 1),
  summary as (
    insert into summary_mail (company_id, member_id, day, next_attempt_at, created_at)
    select distinct ${company}::int, t.assignee_id, d.day, ${now}::timestamptz, ${now}::timestamptz
    from day d cross join lateral ${openTasks(company, `t.due_date <= d.day + ${SUMMARY_DAYS}`)} t
    where ${hasMail}::boolean and d.day = ${today}::date
    on conflict (company_id, member_id) do update
      set day = excluded.day, attempts = 0, next_attempt_at = excluded.next_attempt_at, created_at = excluded.created_at),
  moved as (
    update inbox_reader i set reminded_on = ${today}::date from reader r
    where i.company_id = r.company_id returning 1)
  select exists (select from moved) as moved, (select count(*)::int from added) as items`,
);
