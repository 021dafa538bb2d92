import { byName } from '../statements/by-name.ts';
import type { NamedId, Names } from '../statements/by-name.ts';
import { defineStatement, readStatement } from '../statements/define-statement.ts';
import type { Placeholders } from '../statements/define-statement.ts';
import type { Actor } from '../company/user.ts';
import { frameworkCondition } from '../schema/access.ts';
import { memberUsable, peopleColumn } from '../schema/people.ts';

interface NamedReference {
  id: number;
  name: string;
  archived: boolean;
}

/** SQL of the owner of a row. */
const ownerOf = (alias: string) =>
  peopleColumn({ name: 'owner', column: 'owner_id', shape: 'one', laterKeys: [] }, alias, 'now');

interface FrameworkRow extends NamedReference {
  owner: Actor | null;
  auditDate: string | null;
}

/** Frameworks that the principal may access, by id. */
export const listFrameworks = readStatement<object, FrameworkRow>(
  'framework.list',
  ({ company, keyFrameworks }) => `select f.id, f.name, f.archived_at is not null as archived, ${ownerOf('f')},
    f.audit_date as "auditDate" from framework f
  where f.company_id = ${company} and ${frameworkCondition('f.id', keyFrameworks)} order by f.id`,
);

/** Departments by id. */
export const listDepartments = readStatement<object, NamedReference>(
  'department.list',
  ({ company }) => `select d.id, d.name, d.archived_at is not null as archived from department d
  where d.company_id = ${company} order by d.id`,
);

/** Reference data for those who manage it: all, or those with an id. */
interface Managed {
  id: number | null;
}
interface ManagedRow {
  id: number;
  archivedAt: string | null;
}
export type ManagedFramework = ManagedRow & Omit<FrameworkRow, 'archived'>;

const isManaged = (alias: string, { company, id }: Placeholders<Managed>) =>
  `${alias}.company_id = ${company} and (${id}::int is null or ${alias}.id = ${id})`;

export const manageFrameworks = readStatement<Managed, ManagedFramework>(
  'framework.manage',
  (placeholders) => `select f.id, f.name, f.archived_at as "archivedAt", ${ownerOf('f')}, f.audit_date as "auditDate"
  from framework f
  where ${isManaged('f', placeholders)} and ${frameworkCondition('f.id', placeholders.keyFrameworks)} order by f.id`,
);

export const manageDepartments = readStatement<Managed, ManagedRow & { name: string }>(
  'department.manage',
  (placeholders) =>
    `select d.id, d.name, d.archived_at as "archivedAt" from department d where ${isManaged('d', placeholders)} order by d.id`,
);

interface GapRow {
  id: number;
  title: string;
  requirement: string | null;
  status: 'open' | 'closed';
  owner: Actor | null;
  dueDate: string | null;
}
export type ManagedGap = ManagedRow & GapRow & { framework: number };

const gapColumns = `g.id, g.title, g.requirement_id as requirement, g.status, ${ownerOf('g')}, g.due_date as "dueDate"`;

export const manageGaps = readStatement<Managed, ManagedGap>(
  'gap.manage',
  (placeholders) => `select ${gapColumns}, g.framework_id as framework, g.archived_at as "archivedAt" from gap g
  where ${isManaged('g', placeholders)} and ${frameworkCondition('g.framework_id', placeholders.keyFrameworks)} order by g.id`,
);

/** True for an owner who may be set. */
interface OwnerCheck {
  ownerUsable: boolean;
}

/** SQL condition: the owner is not given, or stays the same, or is an active member who may see the framework. */
const ownerUsable = (company: string, ownerId: string, current: string, framework: string) =>
  `(${ownerId}::uuid is null or ${ownerId}::uuid = ${current} or ${memberUsable(company, `${ownerId}::uuid`, framework)})`;

interface FrameworkChanges {
  id: number;
  name: string | null;
  ownerId: string | null;
  ownerIdGiven: boolean;
  auditDate: string | null;
  auditDateGiven: boolean;
}

/** Changes a framework if its new owner is usable. No row without the framework. */
export const updateFramework = defineStatement<FrameworkChanges, OwnerCheck>(
  'framework.update',
  ({ company, id, name, ownerId, ownerIdGiven, auditDate, auditDateGiven }) => {
    const values = `coalesce(${name}::varchar, f.name), case when ${ownerIdGiven}::boolean then ${ownerId}::uuid else f.owner_id end,
      case when ${auditDateGiven}::boolean then ${auditDate}::date else f.audit_date end`;
    return `with current as materialized (
    select ${ownerUsable(company, ownerId, 'f.owner_id', 'f.id')} as "ownerUsable" from framework f
    where f.company_id = ${company} and f.id = ${id}::int),
  updated as (
    update framework f set (name, owner_id, audit_date) = row(${values}) from current
    where f.company_id = ${company} and f.id = ${id}::int and current."ownerUsable"
      and (f.name, f.owner_id, f.audit_date) is distinct from (${values}))
  select "ownerUsable" from current`;
  },
);

interface GapChanges {
  id: number;
  title: string | null;
  requirement: string | null;
  requirementGiven: boolean;
  status: GapRow['status'] | null;
  ownerId: string | null;
  ownerIdGiven: boolean;
  dueDate: string | null;
  dueDateGiven: boolean;
}

/** Changes a gap if its new owner and requirement are usable. No row without the gap. */
export const updateGap = defineStatement<GapChanges, OwnerCheck & { requirementUsable: boolean }>(
  'gap.update',
  (given) => {
    const { company, id, title, requirement, requirementGiven, status, ownerId, ownerIdGiven, dueDate, dueDateGiven } =
      given;
    const values = `coalesce(${title}::varchar, g.title),
      case when ${requirementGiven}::boolean then ${requirement}::uuid else g.requirement_id end, coalesce(${status}::text, g.status),
      case when ${ownerIdGiven}::boolean then ${ownerId}::uuid else g.owner_id end,
      case when ${dueDateGiven}::boolean then ${dueDate}::date else g.due_date end`;
    return `with current as materialized (
    select ${ownerUsable(company, ownerId, 'g.owner_id', 'g.framework_id')} as "ownerUsable",
      ${requirement}::uuid is null or exists (select from requirement r where r.company_id = ${company}
        and r.framework_id = g.framework_id and r.unique_id = ${requirement}::uuid for key share) as "requirementUsable"
    from gap g where g.company_id = ${company} and g.id = ${id}::int),
  updated as (
    update gap g set (title, requirement_id, status, owner_id, due_date) = row(${values}) from current
    where g.company_id = ${company} and g.id = ${id}::int and current."ownerUsable" and current."requirementUsable"
      and (g.title, g.requirement_id, g.status, g.owner_id, g.due_date) is distinct from (${values}))
  select * from current`;
  },
);

/** Departments with these names that are not archived. */
export const findDepartmentsByName = readStatement<Names, NamedId>('department.by-name', ({ company, names }) =>
  byName(names, 'd.id', 'd.name', `department d where d.company_id = ${company} and d.archived_at is null`),
);

/** Gaps of a framework with these titles that are not archived. */
export const findGapsByTitle = readStatement<Names & { framework: number }, NamedId>(
  'gap.by-title',
  ({ company, framework, names }) =>
    byName(
      names,
      'g.id',
      'g.title',
      `gap g where g.company_id = ${company} and g.framework_id = ${framework} and g.archived_at is null`,
    ),
);

/** Gaps of a framework by id. A framework without gaps is one row without an id, an unknown framework has no row. */
export const listGaps = readStatement<{ framework: number }, (GapRow & { archived: boolean }) | { id: null }>(
  'gap.list',
  ({ company, framework }) => `select ${gapColumns}, g.archived_at is not null as archived from framework f
  left join gap g on g.company_id = f.company_id and g.framework_id = f.id
  where f.company_id = ${company} and f.id = ${framework} order by g.id`,
);

/** Number of these frameworks that the company has. */
export const countFrameworks = readStatement<{ frameworks: readonly number[] }, { count: number }>(
  'framework.count',
  ({ company, frameworks }) =>
    `select count(*)::int as count from framework where company_id = ${company} and id = any(${frameworks}::int[])`,
);
