import { isKnownEventInSql } from '../audit/fields.ts';
import { lastSeal, nextSeals, sealedEvent } from '../audit/seal-reading.ts';
import { isUnfrozen, isWritable } from '../company/closing.ts';
import { bookkeepingWrite, defineStatement, readStatement } from '../statements/define-statement.ts';
import { ACCOUNT_VERBS } from '../member/member.ts';
import { MAIL_SWITCHES } from './item.ts';
import { listedIds, watchers } from './watching.ts';

/** Maximum number of seals for which one statement adds items. */
const FAN_OUT_SIZE = 100;

/** Companies whose inboxes have new seals to read. `isNew` is true for one without a position. */
export const findInboxCompanies = readStatement<object, { id: number; isNew: boolean }>(
  'inbox.companies',
  `select c.id, r.company_id is null as "isNew" from company c left join inbox_reader r on r.company_id = c.id
  where coalesce(r.position, 0) < ${lastSeal('c.id')} and ${isWritable('c.id')}`,
  'all companies',
);

/** Adds the positions of companies that have none. That of a company that arrives from another cell arrives too. */
export const addInboxReaders = defineStatement<object, never>(
  'inbox.add-readers',
  `insert into inbox_reader (company_id)
  select c.id from company c where ${isUnfrozen('c.id')}
    and not exists (select from inbox_reader r where r.company_id = c.id) on conflict do nothing`,
  'all companies',
);

const quotedList = (texts: readonly string[]) => texts.map((text) => `'${text}'`).join(', ');

/** Events about the account of a member, who is notified of all of them, because somebody else may have caused them. */
const ACCOUNT_ACTIONS = Object.values(ACCOUNT_VERBS).map((verb) => `member.${verb}`);

/** Condition for an event `n` of which the watchers of its task, vendor or requirement are notified. The status of a requirement is no field of its events. */
const IS_FOR_WATCHERS = `(n.action = 'comment.create' or n.action in ('task.update', 'vendor.update') and n.changes ? 'status'
    or n.action = 'requirement.update' and n.changes ?| array['applicable', 'assessable']
    or n.action = 'requirement.assess'
      and n.changes #>> '{assessment,from,result}' is distinct from n.changes #>> '{assessment,to,result}')`;

/** SQL of the value of a column after an event that has the column. */
const valueAfter = (column: string, event = 'n') => `(case jsonb_typeof(${event}.changes -> '${column}')
      when 'object' then ${event}.changes #>> '{${column},to}' else ${event}.changes ->> '${column}' end)`;

/** SQL of the value that a column of a task had after an event of it, whatever happened since. */
const valueThen = (column: string, company: string) => `case when n.changes ? '${column}' then ${valueAfter(column)}
      else (select ${valueAfter(column, 'e')} from audit_event e
        where e.company_id = ${company} and e.resource_type = 'task' and e.resource_id = n.resource_id and e.id < n.id and e.changes ? '${column}'
        order by e.id desc limit 1) end`;

/** SQL of the member to whom an event assigns its object. @param column with the member */
const given = (column: string) => `${valueAfter(column)}::uuid`;

/** SQL of the present assignee or owner of the object of an event `n`. */
const owner = (company: string) => `coalesce(
      (select t.assignee_id from task t where t.company_id = ${company} and t.unique_id = n.task_id),
      (select v.owner_id from vendor v where v.company_id = ${company} and v.unique_id = n.vendor_id),
      (select r.owner_id from requirement r where r.company_id = ${company} and r.unique_id = n.requirement_id))`;

/**
 * The members who are notified of the events in `news`, with the reason and its rank. Each is one `select`. Of several reasons for one event
 * the lowest rank counts.
 */
const candidates = (company: string) => [
  `select n.id, 1 as rank, 'assigned' as reason, ${given('assignee_id')} as user_id
    from news n where n.action in ('task.create', 'task.update') and n.changes ? 'assignee_id'`,
  `select n.id, 1, 'assigned', ${given('owner_id')}
    from news n where n.action in ('vendor.create', 'vendor.update', 'requirement.create', 'requirement.update') and n.changes ? 'owner_id'`,
  `select n.id, 2, 'mentioned', mentioned.id::uuid
    from news n cross join lateral (
      select id from ${listedIds('n.changes', 'mentions')} new(id)
      except select id from jsonb_array_elements_text(coalesce(n.changes #> '{mentions,from}', '[]')) old(id)) mentioned
    where n.action in ('comment.create', 'comment.update') and n.changes ? 'mentions'`,
  `select n.id, 3, 'approve', (${valueThen('reviewer_id', company)})::uuid
    from news n
    where n.action in ('task.create', 'task.update') and n.changes ?| array['status', 'reviewer_id']
      and ${valueThen('status', company)} = 'in_review'`,
  `select n.id, 4, 'question', m.unique_id
    from news n
    left join member o on o.company_id = ${company} and o.unique_id = ${owner(company)} and o.ended_at is null
    join member m on m.company_id = ${company} and case when o.unique_id is null then m.role = 'admin' else m.unique_id = o.unique_id end
    where n.action = 'comment.create' and n.changes ->> 'kind' = 'question'`,
  `select n.id, 5, 'answer', q.created_by_id
    from news n join comment q on q.company_id = ${company} and q.unique_id = (n.changes ->> 'reply_to')::uuid
    where n.action = 'comment.create'`,
  `select n.id, 6, 'rejected', one.id
    from news n join evidence e on e.company_id = ${company} and e.unique_id = n.resource_id::uuid
    cross join lateral (values (e.created_by_id), (${owner(company)})) one(id)
    where n.action = 'evidence.check' and n.changes #>> '{checked,to,result}' = 'rejected'`,
  `select n.id, case n.action when 'comment.create' then 8 else 7 end, case n.action when 'comment.create' then 'commented' else 'status' end,
      w.user_id
    from news n join watcher w on w.target_id = n.target_id and w.since_id <= n.id
    where ${IS_FOR_WATCHERS}`,
  `select n.id, 9, case n.resource_type when 'webhook' then 'webhook' else 'key' end, admin.unique_id
    from news n join member admin on admin.company_id = ${company} and admin.role = 'admin'
    where n.action = 'webhook.update' and n.changes #>> '{enabled,to}' = 'false'
      or n.action = 'apiKey.update' and (n.changes #>> '{leaked_at,to}' is not null or n.changes #>> '{leaked_url,to}' is not null)`,
  `select n.id, 10, 'account', n.target_id from news n where n.action in (${quotedList(ACCOUNT_ACTIONS)})`,
];

/**
 * Adds the items of the next seals above the position of the company, and moves the position. Skips a company that another
 * process reads. Ends before an event that this version does not know: a newer process continues there.
 *
 * Members are not notified of their own actions, except those on their account, nor of events from before they joined. `moved` is false if nothing was read.
 */
export const fanOutItems = bookkeepingWrite<{ hasMail: boolean }, { moved: boolean; items: number }>(
  'inbox.fan-out',
  ({ company, hasMail }) => `with reader as (
    select position, skip_until_id from inbox_reader
    where company_id = ${company} and position < ${lastSeal(company)} for no key update skip locked),
  event as materialized (
    select s.seq, s.skip_until_id, e.*, ${isKnownEventInSql('e')} as is_known
    from (${nextSeals('reader', company, FAN_OUT_SIZE)}) s cross join lateral ${sealedEvent('s')} e),
  readable as (
    select * from event where seq < coalesce((select min(seq) from event where not is_known), 9223372036854775807)),
  news as materialized (
    select *, case type when 'task' then target_id end as task_id, case type when 'vendor' then target_id end as vendor_id,
      case type when 'requirement' then target_id end as requirement_id from (
      select *, coalesce(parent_type, resource_type) as type, coalesce(parent_id, resource_id)::uuid as target_id from readable
      where id > skip_until_id and action in (
        'task.create', 'task.update', 'vendor.create', 'vendor.update', 'requirement.create', 'requirement.update', 'requirement.assess', 'comment.create', 'comment.update', 'evidence.check',
        'apiKey.update', 'webhook.update',
        ${quotedList(ACCOUNT_ACTIONS)})) n),
  watcher as materialized (${watchers(company, {
    tasks: `array(select task_id from news n where ${IS_FOR_WATCHERS})`,
    vendors: `array(select vendor_id from news n where ${IS_FOR_WATCHERS})`,
    requirements: `array(select requirement_id from news n where ${IS_FOR_WATCHERS})`,
  })}),
  candidate as (${candidates(company).join('\n    union all ')}),
  recipient as (
    select distinct on (c.id, c.user_id) c.id, c.user_id, c.reason from candidate c order by c.id, c.user_id, c.rank),
  added as (
    insert into inbox_item
      (company_id, member_id, unique_id, at, reason, resource_type, resource_id, actor_id, event_id, to_mail)
    select ${company}::int, m.unique_id, uuid_v7(), n.occurred_at, r.reason, n.type, n.target_id, n.user_id, n.id, ${hasMail}::boolean and r.reason in (${quotedList(Object.keys(MAIL_SWITCHES))})
    from news n join recipient r on r.id = n.id
    join member m on m.company_id = ${company} and m.unique_id = r.user_id and m.ended_at is null
    where (m.unique_id <> n.user_id or r.reason = 'account')
      and n.id > coalesce((
        select joined.id from audit_event joined
        where joined.company_id = ${company} and joined.resource_type = 'member' and joined.resource_id = m.unique_id::text
          and joined.action = 'member.create'
        order by joined.id desc limit 1), 0)
    order by n.seq, m.unique_id
    on conflict do nothing returning 1),
  moved as (
    update inbox_reader set position = last.seq from (select max(seq) as seq from readable) last
    where company_id = ${company} and last.seq is not null returning 1)
  select exists (select from moved) as moved, (select count(*)::int from added) as items`,
);

/** Events of all companies that the inboxes have not read, for metrics. */
export const findInboxLag = readStatement<object, { seals: number }>(
  'inbox.lag',
  `select coalesce(sum(${lastSeal('c.id')} - coalesce(r.position, 0)), 0)::float8 as seals
  from company c left join inbox_reader r on r.company_id = c.id`,
  'all companies',
);
