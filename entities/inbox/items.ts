import { isUnfrozen } from '../company/closing.ts';
import type { Actor, UserKind } from '../company/user.ts';
import { toIso } from '../statements/change-metadata.ts';
import { bookkeepingWrite, readStatement, retentionStatement } from '../statements/define-statement.ts';
import { INBOX_RETENTION_DAYS } from './item.ts';
import type { InboxReason, InboxResourceType } from './item.ts';
import { JOIN_VISIBLE_RESOURCE } from './visible.ts';

/** An item with the title of today, and who changed the resource. */
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
