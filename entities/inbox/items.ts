import { isUnfrozen } from '../company/closing.ts';
import type { Actor, UserKind } from '../company/user.ts';
import { toIso } from '../statements/change-metadata.ts';
import { bookkeepingWrite, readStatement, retentionStatement } from '../statements/define-statement.ts';
import { frameworkCondition } from '../schema/access.ts';
import type { AccountVerb } from '../member/member.ts';
import { INBOX_RETENTION_DAYS } from './item.ts';
import type { InboxReason, InboxResourceType } from './item.ts';

interface ItemResource {
  table: string;
  /** SQL of the title of the row `r`. */
  title: string;
  /** Condition under which the member `m` may see the row `r`; undefined if every member may. */
  condition?: string;
}

/** What happened to the account of a member, by the verb of the event. */
export const ACCOUNT_TITLES: Readonly<Record<AccountVerb, string>> = {
  resetPassword: 'A link to reset your password was created',
  passwordReset: 'Your password was reset with a link',
  passwordChange: 'Your password was changed',
  passkeyAdd: 'A passkey was added to your account',
  passkeyRemove: 'A passkey was removed from your account',
  totpEnable: 'The second factor of your account was turned on',
  totpDisable: 'The second factor of your account was turned off',
  prove: 'Your email address was confirmed',
};
const ACCOUNT_TITLE = `(select case e.action ${Object.entries(ACCOUNT_TITLES)
  .map(([verb, title]) => `when 'member.${verb}' then '${title}'`)
  .join(' ')} end from audit_event e where e.company_id = i.company_id and e.id = i.event_id)`;

const ONLY_ADMINS = `m.role = 'admin'`;
const RESOURCES: Record<InboxResourceType, ItemResource> = {
  task: { table: 'task', title: 'r.title', condition: frameworkCondition('r.framework_id', 'm.frameworks') },
  vendor: { table: 'vendor', title: 'r.name' },
  requirement: {
    table: 'requirement',
    title: "r.ref || ' ' || r.title",
    condition: frameworkCondition('r.framework_id', 'm.frameworks'),
  },
  import: { table: 'import', title: `'Import of ' || r.kind || 's'` },
  apiKey: { table: 'api_key', title: 'r.name', condition: ONLY_ADMINS },
  proof: {
    table: 'proof',
    title: `'Proof as of ' || to_char(r.as_of at time zone 'UTC', 'YYYY-MM-DD')`,
    condition: `m.role in ('admin', 'auditor') and m.frameworks is null`,
  },
  webhook: { table: 'webhook', title: 'r.url', condition: ONLY_ADMINS },
  member: { table: 'member', title: ACCOUNT_TITLE, condition: 'r.unique_id = m.unique_id' },
};

/**
 * SQL that joins the title of the resource of the item `i` as `resource.title`, if it exists and the member `m` may see it: items
 * about others are left out. Titles are the present ones.
 */
export const JOIN_VISIBLE_RESOURCE = `join lateral (${Object.entries(RESOURCES)
  .map(
    ([type, { table, title, condition = 'true' }]) => `
    select ${title} as title from ${table} r
    where i.resource_type = '${type}' and r.company_id = i.company_id and r.unique_id = i.resource_id and ${condition}`,
  )
  .join(' union all ')}) resource on m.ended_at is null`;

/** An item with the present title, and the person who changed the resource. */
interface ItemRow {
  id: string;
  uniqueId: string;
  at: string;
  reason: InboxReason;
  resource_type: InboxResourceType;
  resource_id: string;
  title: string;
  /** Date of the vendor that the item reminds of; null for other reasons. */
  date: string | null;
  read: boolean;
  actor_id: string | null;
  actor_name: string;
  actor_kind: UserKind;
}

/** SQL of the date in the occasion `2026-12-27/30` of a reminder. */
const DATE = `case when i.reason in ('review', 'contract') and i.occasion like '____-__-__/%' then left(i.occasion, 10) end`;

/** SQL of the items `i` that the member of the session may see now. */
const VISIBLE = (company: string, user: string) => `inbox_item i
  join member m on m.company_id = i.company_id and m.unique_id = i.member_id
  ${JOIN_VISIBLE_RESOURCE}
  where i.company_id = ${company} and i.member_id = ${user}::uuid`;

/** Items of the member before a position, newest first. */
export const pageItems = readStatement<{ before: string | null; unread: boolean; limit: number }, ItemRow>(
  'inbox.page',
  ({ company, user, before, unread, limit }) => `select i.*, a.name as actor_name, a.kind as actor_kind from (
    select i.id::text as id, i.id as "order", i.unique_id as "uniqueId", i.at, i.reason, i.resource_type, i.resource_id, resource.title,
      ${DATE} as date, i.read_at is not null as read, i.actor_id
    from ${VISIBLE(company, user)}
      and i.id < coalesce(${before}::bigint, 9223372036854775807) and not (${unread}::boolean and i.read_at is not null)
    order by i.id desc limit ${limit}::int) i
  left join company_user a on a.company_id = ${company} and a.unique_id = i.actor_id
  order by i."order" desc`,
);

/** Number of unread items of the member. */
export const countUnread = readStatement<object, { unread: number }>(
  'inbox.count',
  ({ company, user }) => `select count(*)::int as unread from ${VISIBLE(company, user)} and i.read_at is null`,
);

/** Marks items of the member as read. @param uniqueIds null for all */
export const markRead = bookkeepingWrite<{ uniqueIds: readonly string[] | null }, never>(
  'inbox.read',
  ({ company, user, uniqueIds }) => `update inbox_item set read_at = now()
  where company_id = ${company} and member_id = ${user}::uuid and read_at is null
    and (${uniqueIds}::uuid[] is null or unique_id = any(${uniqueIds}))`,
);

/** Deletes old items. */
export const deleteOldItems = retentionStatement('inbox.delete-old-items', (limit, now) => [
  `delete from inbox_item i using (
    select company_id, member_id, id from inbox_item
    where at <= ${now}::timestamptz - interval '${INBOX_RETENTION_DAYS} days' and ${isUnfrozen('company_id')} limit ${limit}) old
  where i.company_id = old.company_id and i.member_id = old.member_id and i.id = old.id`,
]);

/** The item object of the API. */
export function toInboxItem({ uniqueId, at, reason, title, date, read, ...row }: ItemRow) {
  const actor: Actor | null =
    row.actor_id === null ? null : { uniqueId: row.actor_id, name: row.actor_name, kind: row.actor_kind };
  const resource = { type: row.resource_type, uniqueId: row.resource_id };
  return { uniqueId, at: toIso(at), reason, resource, title, ...(date !== null && { date }), actor, read };
}
