import { peopleColumn } from '../schema/people.ts';
import type { RowTime } from '../schema/children.ts';
import type { Resource } from '../schema/resource-definition.ts';
import { metadataColumns, metadataJoins } from './change-metadata.ts';
import type { MetadataRow } from './change-metadata.ts';
import { asJson } from './define-statement.ts';
import type { Placeholders } from './define-statement.ts';

interface RowKey {
  uniqueId: string;
}

/**
 * SQL of a resource's own columns under their public names, of its people and of what a read looks up, without change metadata.
 * @param at time of the row
 */
export const ownColumns = (
  { access, createdFields, fields, readOnlyFields, people, lookups }: Resource,
  alias: string,
  at: RowTime = 'now',
) => {
  const isLookedUp = (name: string) => lookups.some(({ field }) => field === name);
  return [
    `${alias}.unique_id as "uniqueId"`,
    ...(access.framework === 'inherited' ? [`${alias}.framework_id as framework`] : []),
    ...[...createdFields, ...fields, ...readOnlyFields]
      .filter(({ name }) => !isLookedUp(name))
      .map(({ name, column }) => `${alias}.${column}${column === name ? '' : ` as "${name}"`}`),
    ...people.map((field) => peopleColumn(field, alias, at)),
    ...lookups.map(({ field, lookup }) => `${lookup[at](alias)} as "${field}"`),
  ].join(', ');
};

/** SQL of all columns of a resource, from a row joined by `metadataJoins(alias)`. */
export const columnsWithMetadata = (resource: Resource, alias: string, at?: RowTime) =>
  `${ownColumns(resource, alias, at)}, ${metadataColumns(alias)}`;

/** SQL of a resource's columns, and of their values in an insert. */
export function insertColumns<Created extends object, Fields extends object>(
  { createdFields, fields }: Resource<Created, Fields>,
  placeholders: Placeholders<Created & Fields & RowKey>,
) {
  const given = [{ name: 'uniqueId', column: 'unique_id', isJson: false }, ...createdFields, ...fields];
  const { company, user }: Placeholders<object> = placeholders;
  return {
    columns: `company_id, ${given.map(({ column }) => column).join(', ')}, created_by_id, updated_by_id`,
    values: `${company}, ${given.map((field) => valueOf(placeholders, field)).join(', ')}, ${user}, ${user}`,
  };
}

/** SQL of a placeholder, by its name. */
export const placeholderOf = (placeholders: object, name: string) => String(Reflect.get(placeholders, name));

/** SQL of the given value of a field. */
export const valueOf = (placeholders: object, { name, isJson }: { name: string; isJson: boolean }) =>
  isJson ? asJson(placeholderOf(placeholders, name)) : placeholderOf(placeholders, name);

/** Result of an update: the row, changed or as it was. */
export type UpdateResult<Row> = Row & MetadataRow & { is_changed: boolean };

/**
 * An update of one row that returns the row in any case, in one round trip. The columns that are looked up stand in it once, because
 * PostgreSQL prepares each subquery of a statement, also one that it does not run.
 * @param set assignments, in SQL
 * @param conditions of the change, in SQL
 */
export const updateReturningCurrent = (
  resource: Resource,
  { company, uniqueId }: Placeholders<RowKey>,
  set: string,
  conditions: readonly string[],
): string => {
  const { table } = resource;
  const isRow = `${table}.company_id = ${company} and ${table}.unique_id = ${uniqueId}`;
  return `with updated as (
    update ${table} set ${set}
    where ${[isRow, ...conditions].join(' and ')}
    returning ${table}.*),
  target as (
    select updated.*, true as is_changed from updated
    union all select ${table}.*, false from ${table} where ${isRow} and not exists (select from updated))
  select ${columnsWithMetadata(resource, 'target')}, target.is_changed from target ${metadataJoins('target')}`;
};
