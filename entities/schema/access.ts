import type { TriggerDef } from '@mikro-orm/core';
import { NO_FRAMEWORK } from '../ids.ts';
import { MEMBER_SCOPES } from '../member/role.ts';
import type { MemberScope } from '../member/role.ts';
import type { Placeholders } from '../statements/define-statement.ts';
import type { AuditedResource } from './audited-resource.ts';
import { auditTrigger, defineTrigger, forbidTrigger } from './triggers.ts';

/** An operation on a resource that needs a right. */
export type Operation = 'read' | 'write' | 'delete';

/** Scopes that a principal needs for each operation, all of them. */
export type ScopesByOperation = Readonly<Record<Operation, readonly MemberScope[]>>;

/** A resource that others may belong to. */
interface ParentResource extends AuditedResource {
  readonly access: ResourceAccess;
}

/**
 * The rule for access to the resources of a type, declared once in `defineResource`. The condition of writes in SQL, the check in
 * procedures, the scopes, and the framework of audit events derive from it.
 */
export interface Access {
  /**
   * The owner of a resource: its company; its framework, the created field `framework`; or exactly one other resource, by
   * the created field that refers to it. The rights for the other resource then hold for both. A delete needs its write scope.
   */
  of: 'company' | 'framework' | Readonly<Record<string, ParentResource>>;
  /** Scope to read, of a resource whose type has none of its own; by default `<type>:read`. */
  readScope?: MemberScope;
  /** True if a resource that belongs to another one has scopes of its own. It then needs the read scope of the other one. */
  ownScopes?: boolean;
  /** True if auditors write it too: the scope of the other resource is then `<type>:comment`, which `<type>:write` implies. */
  forAuditors?: boolean;
  /** Maximum number of resources for each parent. */
  max?: number | null;
  /** True if the list of a parent begins with the newest. */
  newestFirst?: boolean;
  /** True if only its author changes a resource, and only its author, an admin or the operator deletes it. */
  byAuthor?: boolean;
}

interface Parent {
  /** Field of the resource that refers to the parent. */
  readonly field: string;
  readonly column: string;
  readonly resource: ParentResource;
  /** Scopes for an item that belongs to this parent. */
  readonly scopes: ScopesByOperation;
}

/** Access with the columns that hold the owner of a resource. */
export interface ResourceAccess {
  /** The field `framework` of an item, with the column `framework_id`: given, copied from the parent, or none. */
  readonly framework: 'given' | 'inherited' | 'none';
  readonly parents: readonly Parent[];
  /** Null for any number. */
  readonly max: number | null;
  readonly newestFirst: boolean;
  readonly byAuthor: boolean;
  /** Scopes that every procedure needs. Those of one of several parents depend on the item: see `parentScopes`. */
  readonly scopes: ScopesByOperation;
}

/** @throws Error if there is no scope with this name */
function scopeOf(type: string, action: Operation | 'comment'): MemberScope {
  const scope = MEMBER_SCOPES.find((name) => name === `${type}:${action}`);
  if (scope === undefined) throw new Error(`${type}: expected the scope ${type}:${action}`);
  return scope;
}

/** The scopes `<type>:read`, `<type>:write` and `<type>:delete`. @throws Error if there are none with these names */
export const ownScopes = (type: string, readScope?: MemberScope): ScopesByOperation => ({
  read: [readScope ?? scopeOf(type, 'read')],
  write: [scopeOf(type, 'write')],
  delete: [scopeOf(type, 'delete')],
});

/** Scopes of a parent for an item that belongs to it. */
function parentScopes(
  { type, access: { scopes } }: ParentResource,
  { ownScopes: hasOwnScopes = false, forAuditors = false }: Pick<Access, 'ownScopes' | 'forAuditors'>,
): ScopesByOperation {
  const write = hasOwnScopes ? scopes.read : forAuditors ? [scopeOf(type, 'comment')] : scopes.write;
  return { read: scopes.read, write, delete: write };
}

const NO_SCOPES: ScopesByOperation = { read: [], write: [], delete: [] };

/** @param columns column of each field that a create sets */
export function resolveAccess(
  type: string,
  { of, readScope, max = null, newestFirst = false, byAuthor = false, ...given }: Access,
  columns: ReadonlyMap<string, string>,
): ResourceAccess {
  const rules = { max, newestFirst, byAuthor };
  if (of === 'company' || of === 'framework')
    return {
      framework: of === 'framework' ? 'given' : 'none',
      parents: [],
      ...rules,
      scopes: ownScopes(type, readScope),
    };
  const parents = Object.entries(of).map(([field, resource]): Parent => {
    const column = columns.get(field);
    if (column === undefined) throw new Error(`${type}: expected the created field ${field}`);
    return { field, column, resource, scopes: parentScopes(resource, given) };
  });
  const [first, ...others] = parents;
  if (first === undefined) throw new Error(`${type}: expected a parent`);
  const scopes = given.ownScopes === true ? ownScopes(type) : others.length === 0 ? first.scopes : NO_SCOPES;
  const hasFramework = parents.some(({ resource }) => resource.hasFramework);
  return { framework: hasFramework ? 'inherited' : 'none', parents, ...rules, scopes };
}

/** Condition for a framework that a principal may access. @param frameworks placeholder for the allowed ones; null for all */
export const frameworkCondition = (column: string, frameworks: string, orNone = false) =>
  `(${frameworks}::int[] is null or ${column} = any(${frameworks})${orNone ? ` or ${column} = ${NO_FRAMEWORK}` : ''})`;

/** Resource with its access. */
type Accessed = AuditedResource & { readonly access: ResourceAccess };

/** Conditions under which the principal may change or delete a row, in SQL. `requireAccess` explains a row that they exclude. */
export function writeConditions(
  { table, mayLackFramework, access: { framework, parents, byAuthor } }: Accessed,
  { keyFrameworks, scopes, user, isAdmin }: Placeholders<object>,
  operation: 'write' | 'delete',
): string[] {
  const author = `${table}.created_by_id = ${user}::uuid`;
  return [
    ...(framework === 'none' ? [] : [frameworkCondition(`${table}.framework_id`, keyFrameworks, mayLackFramework)]),
    ...(parents.length < 2 ? [] : parents).map(
      (parent) =>
        `(${table}.${parent.column} is null or array[${textList(parent.scopes[operation])}] <@ ${scopes}::text[])`,
    ),
    ...(byAuthor ? [operation === 'write' ? author : `(${author} or ${isAdmin}::boolean)`] : []),
  ];
}

/**
 * Condition: the scopes and the frameworks of the principal reach a row that belongs to one of several resources, so that it may
 * be read. Scopes that all rows need are no part of it.
 */
export const readCondition = (
  { access: { parents } }: Accessed,
  alias: string,
  { scopes, keyFrameworks }: Placeholders<object>,
): string =>
  `(${parents
    .map(({ column, scopes: { read }, resource: { hasFramework } }) =>
      [
        `${alias}.${column} is not null`,
        `array[${textList(read)}] <@ ${scopes}::text[]`,
        ...(hasFramework ? [frameworkCondition(`${alias}.framework_id`, keyFrameworks)] : []),
      ].join(' and '),
    )
    .join(' or ')})`;

const textList = (texts: readonly string[]) => texts.map((text) => `'${text}'`).join(', ');

/**
 * CTE `parent`: one row with `framework` if a new row may belong to the parent that it names. The parent stays until the
 * transaction ends.
 * @param given placeholder for the id of a parent, by its field
 */
export const accessibleParent = (
  { access: { parents } }: Accessed,
  { company, keyFrameworks }: Placeholders<object>,
  given: (field: string) => string,
): string => {
  const reads = parents.map(({ field, resource: { table, hasFramework } }) => {
    const inFramework = hasFramework ? ` and ${frameworkCondition('p.framework_id', keyFrameworks)}` : '';
    const framework = hasFramework ? 'p.framework_id' : NO_FRAMEWORK;
    return `select framework from (select ${framework} as framework from ${table} p where p.company_id = ${company} and p.unique_id = ${given(field)}::uuid${inFramework}
      for key share) ${table}`;
  });
  return `parent as materialized (${reads.join(' union all ')})`;
};

/** Constraint name of the error for a row beyond the maximum number of a parent. */
export const maxConstraint = (table: string) => `${table}_max`;

/** Checks of a table whose rows belong to one of several parents. */
export const parentChecks = ({ table, access: { parents } }: Pick<Accessed, 'table' | 'access'>) =>
  parents.length < 2
    ? []
    : [
        {
          name: `${table}_one_parent`,
          expression: `num_nonnulls(${parents.map(({ column }) => column).join(', ')}) = 1`,
        },
      ];

/** Values of parents by their columns. */
const parentValues = <Value>(parents: readonly Parent[], valueOf: (parent: Parent) => Value) =>
  Object.fromEntries(parents.map((parent) => [parent.column, valueOf(parent)]));

/**
 * Triggers of the table of a resource. They write its audit events, copy the framework of its parent, limit the number for each parent, and make sure that it
 * never moves. `deletionTrigger` deletes its children.
 */
export function resourceTriggers(resource: Accessed): TriggerDef[] {
  const {
    table,
    access: { framework, parents, max },
  } = resource;
  const parentTables = parentValues(
    parents.filter(({ resource: { hasFramework } }) => hasFramework),
    ({ resource: { table: parentTable } }) => parentTable,
  );
  const ownerColumns = [...(framework === 'none' ? [] : ['framework_id']), ...parents.map(({ column }) => column)];
  const beforeInsert = (name: string, argument: object) =>
    Object.keys(argument).length === 0 ? [] : [beforeRow(table, name, 'insert', argument)];
  return [
    auditTrigger(
      resource,
      parentValues(parents, ({ resource: { type } }) => type),
    ),
    forbidTrigger(table, [`update of ${ownerColumns.join(', ') || 'unique_id'}`, 'truncate']),
    ...beforeInsert('inherit_framework', parentTables),
    ...beforeInsert('limit_children', max === null ? {} : parentValues(parents, () => max)),
  ];
}

const beforeRow = (table: string, name: string, event: 'insert' | 'delete', argument: object) =>
  defineTrigger(`${table}_${name}`, 'before', [event], table, 'row', `${name}('${JSON.stringify(argument)}')`);

/** The trigger that deletes the children of a resource before it. Undefined for a resource without children. */
export function deletionTrigger(
  { table }: Pick<AuditedResource, 'table'>,
  resources: readonly (AuditedResource & { readonly access?: ResourceAccess })[],
): TriggerDef | undefined {
  const columns = resources.flatMap((child) =>
    (child.access?.parents ?? [])
      .filter(({ resource }) => resource.table === table)
      .map(({ column }) => [child.table, column] as const),
  );
  return columns.length === 0 ? undefined : beforeRow(table, 'delete_children', 'delete', Object.fromEntries(columns));
}
