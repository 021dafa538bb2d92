import type { MemberScope } from '../member/role.ts';
import type { Placeholders } from '../statements/define-statement.ts';
import { ownScopes } from './access.ts';

/** Time of a row that a read shows: as it is now, as it is created, as it was in the past. */
export type RowTime = 'now' | 'creation' | 'past';

/** SQL of a field that a read looks up, by the time of the row. */
export interface Lookup<Value = unknown> extends Readonly<Record<RowTime, (alias: string) => string>> {
  /** Never set: carries the type of the value, by default text or null. */
  readonly '~value'?: Value;
}

/** The values of looked up fields. */
export type LookedUp<Lookups> = {
  [Field in keyof Lookups]: Lookups[Field] extends { readonly '~value'?: infer Value }
    ? unknown extends Value
      ? string | null
      : Value
    : string | null;
};

/** Resources with scopes of their own that belong to another one, which shows their number. */
export interface CountedChild {
  /** Field of the parent with their number. */
  readonly field: string;
  readonly table: string;
  /** Column with the id of the parent. */
  readonly column: string;
  /** Scopes that deleting a parent with such children needs beside its own. */
  readonly deleteScopes: readonly MemberScope[];
}

/** The numbers of children as a row shows them: null where they are not known, as in the past. */
export type ChildCounts<Children> = { [Field in keyof Children]: number | null };

/** @param children type of the children, which is their table, by the field with their number */
export const countedChildren = (parentTable: string, children: Readonly<Record<string, string>>): CountedChild[] =>
  Object.entries(children).map(([field, type]) => ({
    field,
    table: type,
    column: `${parentTable}_id`,
    deleteScopes: ownScopes(type).delete,
  }));

const ofParent = ({ table, column }: CountedChild, alias: string) =>
  `from ${table} child where child.company_id = ${alias}.company_id and child.${column} = ${alias}.unique_id`;

/** The number of children of a row. A new one has none, and their number in the past is not known. */
export const childLookup = (child: CountedChild): Lookup => ({
  now: (alias) => `(select count(*)::int ${ofParent(child, alias)})`,
  creation: () => '0',
  past: () => 'null::int',
});

/** Conditions under which the principal may delete a row with its children, in SQL. `requireChildScopes` explains a row that they exclude. */
export const childConditions = (
  { table, children }: { table: string; children: readonly CountedChild[] },
  { scopes }: Placeholders<object>,
): string[] =>
  children.map((child) => {
    const needed = child.deleteScopes.map((scope) => `'${scope}'`).join(', ');
    return `(array[${needed}] <@ ${scopes}::text[] or not exists (select ${ofParent(child, table)}))`;
  });
