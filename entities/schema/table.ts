import { EntitySchema, UnderscoreNamingStrategy } from '@mikro-orm/core';

const naming = new UnderscoreNamingStrategy();

/** An entity class. */
type NamedEntity = { readonly name: string } & Parameters<typeof EntitySchema.REGISTRY.get>[0];

const metadataOf = (entity: NamedEntity) => EntitySchema.REGISTRY.get(entity)?.meta;

/** Name of the table of an entity. */
export const tableName = (entity: NamedEntity): string =>
  metadataOf(entity)?.tableName ?? naming.classToTableName(entity.name);

/** Name of the column of a property. A reference has a composite foreign key, which ends in its own column. */
export function columnName(entity: NamedEntity, property: string): string {
  const declared: object = Object(Object(metadataOf(entity)?.properties)[property]);
  const [name, fieldName, joinColumn, columns, kind] = ['name', 'fieldName', 'joinColumn', 'joinColumns', 'kind'].map(
    (key): unknown => Reflect.get(declared, key),
  );
  const column = fieldName ?? joinColumn;
  if (typeof column === 'string') return column;
  if (Array.isArray(columns)) return String(columns.at(-1));
  const own = naming.propertyToColumnName(typeof name === 'string' ? name : property);
  return kind === 'm:1' ? `${own}_id` : own;
}
