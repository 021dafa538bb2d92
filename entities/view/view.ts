import { defineEntity, p } from '@mikro-orm/core';
import { MAX_NAME_LENGTH } from '../company/company.ts';
import { Member } from '../member/member.ts';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { frozenTrigger } from '../schema/triggers.ts';
import type { UserKind } from '../company/user.ts';
import { defineStatement, readStatement } from '../statements/define-statement.ts';

/** Pages of the application that have views. */
export const VIEW_PAGES = ['tasks', 'vendors', 'audit'] as const;
export type ViewPage = (typeof VIEW_PAGES)[number];

/** Bounds of the views of a member, and of those that a company shares. Contract, sections 18 and 32. */
export const VIEW_LIMITS = { perMember: 200, shared: 500, maxQueryLength: 2000 } as const;

const viewSchema = defineEntity({
  name: 'View',
  properties: {
    ...companyKeyWithoutForeignKey,
    uniqueId: p.uuid().primary(),
    /** The owner. Their views stay when the membership ends. */
    member: () => companyReference(Member, 'member_id').deleteRule('no action'),
    name: p.string().length(MAX_NAME_LENGTH),
    page: p.enum(VIEW_PAGES),
    /** Query string of the page. */
    query: p.string().length(VIEW_LIMITS.maxQueryLength),
    /** True if every member of the company sees the view. */
    shared: p.boolean().default(false),
  },
  ...tenantIsolation(),
  indexes: [{ name: 'view_by_member', properties: ['company', 'member'] }],
  checks: [{ name: 'view_name_not_empty', expression: `name::text <> ''::text` }],
  triggers: [frozenTrigger('view')],
});

/** Filters, order and columns of a page of the application, under a name. No event records it. */
export class View extends viewSchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
}
viewSchema.setClass(View);

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

/** The owner of a view. */
interface OwnerRow {
  owner_id: string;
  owner_name: string;
  owner_kind: UserKind;
}
interface ViewRow extends ViewKey, ViewFields, OwnerRow {}

const COLUMNS = `v.unique_id as "uniqueId", v.name, v.page, v.shared,
    u.unique_id as owner_id, u.name as owner_name, u.kind as owner_kind`;

/** Selects views with their owners. @param views a table, or an expression with its columns */
const select = (views: string, columns = `${COLUMNS}, v.query`) => `select ${columns}
  from ${views} v join company_user u on u.company_id = v.company_id and u.unique_id = v.member_id`;

/** Condition for a view that the member of the session sees. */
const visible = (user: string) => `(v.shared or v.member_id = ${user}::uuid)`;

/** The views that the member sees, by name and then by id. */
export const listViews = readStatement<object, ViewRow>(
  'view.list',
  ({ company, user }) => `${select('view')}
  where v.company_id = ${company} and ${visible(user)} order by v.name, v.unique_id`,
);

/** The same without their queries, which may be a thousand times as long as a name. */
export const listViewNames = readStatement<object, Omit<ViewRow, 'query'>>(
  'view.list-names',
  ({ company, user }) => `${select('view', COLUMNS)}
  where v.company_id = ${company} and ${visible(user)} order by v.name, v.unique_id`,
);

/** A view that the member sees. */
export const findView = readStatement<ViewKey, ViewRow>(
  'view.get',
  ({ company, user, uniqueId }) => `${select('view')}
  where v.company_id = ${company} and v.unique_id = ${uniqueId} and ${visible(user)}`,
);

/** Locks the number of views of the company until the end of the transaction. */
export const lockViews = defineStatement<object, never>(
  'view.lock-all',
  ({ company }) => `select pg_advisory_xact_lock(hashtextextended('views ' || (${company}::int)::text, 0))`,
);

/** Number of views of the member, and of the shared ones of the company. Needs `lockViews` in the same transaction. */
export const countViews = readStatement<object, { own: number; shared: number }>(
  'view.count',
  ({ company, user }) => `select count(*) filter (where member_id = ${user}::uuid)::int as own,
    count(*) filter (where shared)::int as shared
  from view where company_id = ${company}`,
);

/** Inserts a view of the member. */
export const insertView = defineStatement<ViewKey & ViewFields, ViewRow>(
  'view.insert',
  ({ company, user, uniqueId, name, page, query, shared }) => `with new as (
    insert into view (company_id, unique_id, member_id, name, page, query, shared)
    values (${company}::int, ${uniqueId}::uuid, ${user}::uuid, ${name}, ${page}, ${query}, ${shared}::boolean)
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
export const toViewRecord = <Row extends OwnerRow>({ owner_id, owner_name, owner_kind, ...view }: Row) => ({
  ...view,
  owner: { uniqueId: owner_id, name: owner_name, kind: owner_kind },
});
