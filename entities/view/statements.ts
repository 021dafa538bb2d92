import type { UserKind } from '../company/user.ts';
import { defineStatement, readStatement } from '../statements/define-statement.ts';
import { VIEW_LIMITS } from './view.ts';
import type { ViewPage } from './view.ts';

interface ViewKey {
  uniqueId: string;
}

/** Fields that a member sets. */
interface ViewFields {
  name: string;
  page: ViewPage;
  query: string;
  shared: boolean;
}

type ViewChanges = { [Field in keyof ViewFields]: ViewFields[Field] | null };

/** A view with its owner. */
interface ViewRow extends ViewKey, ViewFields {
  owner_id: string;
  owner_name: string;
  owner_kind: UserKind;
}

/** Selects views with their owners. @param views a table, or an expression with its columns */
const select = (views: string) => `select v.unique_id as "uniqueId", v.name, v.page, v.query, v.shared,
    u.unique_id as owner_id, u.name as owner_name, u.kind as owner_kind
  from ${views} v join company_user u on u.company_id = v.company_id and u.unique_id = v.member_id`;

/** Condition for a view that the member of the session sees. */
const visible = (user: string) => `(v.shared or v.member_id = ${user}::uuid)`;

/** The views that the member sees, by name and then by id. */
export const listViews = readStatement<object, ViewRow>(
  'view.list',
  ({ company, user }) => `${select('view')}
  where v.company_id = ${company} and ${visible(user)} order by v.name, v.unique_id`,
);

/** Locks the number of views of the member until the end of the transaction. */
export const lockViews = defineStatement<object, never>(
  'view.lock-all',
  ({ company, user }) =>
    `select pg_advisory_xact_lock(hashtextextended('views ' || (${company}::int)::text || ' ' || (${user}::uuid)::text, 0))`,
);

/** Inserts a view of the member; no row if the member has too many. */
export const insertView = defineStatement<ViewKey & ViewFields, ViewRow>(
  'view.insert',
  ({ company, user, uniqueId, name, page, query, shared }) => `with new as (
    insert into view (company_id, unique_id, member_id, name, page, query, shared)
    select ${company}::int, ${uniqueId}::uuid, ${user}::uuid, ${name}, ${page}, ${query}, ${shared}::boolean
    where (select count(*) from view o where o.company_id = ${company}::int and o.member_id = ${user}::uuid)
      < ${VIEW_LIMITS.perMember}
    returning *)
  ${select('new')}`,
);

/** Locks a view that the member sees until the end of the transaction. */
export const lockView = defineStatement<ViewKey, ViewRow>(
  'view.lock',
  ({ company, user, uniqueId }) => `${select('view')}
  where v.company_id = ${company} and v.unique_id = ${uniqueId} and ${visible(user)} for update of v`,
);

/** Changes fields of a view; null keeps one. No row if nothing changes. */
export const updateView = defineStatement<ViewKey & ViewChanges, ViewRow>(
  'view.update',
  ({ company, uniqueId, name, page, query, shared }) => `with changed as (
    update view v set name = coalesce(${name}, v.name), page = coalesce(${page}, v.page), query = coalesce(${query}, v.query),
      shared = coalesce(${shared}, v.shared)
    where v.company_id = ${company} and v.unique_id = ${uniqueId} and (v.name, v.page, v.query, v.shared) is distinct from
      (coalesce(${name}, v.name), coalesce(${page}, v.page), coalesce(${query}, v.query), coalesce(${shared}, v.shared))
    returning v.*)
  ${select('changed')}`,
);

export const deleteView = defineStatement<ViewKey, never>(
  'view.delete',
  ({ company, uniqueId }) => `delete from view where company_id = ${company} and unique_id = ${uniqueId}`,
);

/** The view object of the API. */
export const toViewRecord = ({ owner_id, owner_name, owner_kind, ...view }: ViewRow) => ({
  ...view,
  owner: { uniqueId: owner_id, name: owner_name, kind: owner_kind },
});
