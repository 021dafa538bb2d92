import type { Resource } from '../schema/resource-definition.ts';
import { columnName, tableName } from '../schema/table.ts';
import type { Erasure, PersonalKind } from './kinds.ts';

/** An entity class. */
type EntityClass = Parameters<typeof tableName>[0] & { readonly prototype: object };
/** Properties of an entity, which are the columns of its table. */
type PropertyOf<Entity extends EntityClass> = keyof Entity['prototype'] & string;
type ByKind<Property extends string> = Readonly<Partial<Record<PersonalKind | 'none', readonly Property[]>>>;
type Listed<Given> = { [Kind in keyof Given]: Given[Kind] extends readonly (infer Property)[] ? Property : never };
/** Requires that the lists name every property of the entity. A type error shows the names of those that are missing. */
type Complete<Entity extends EntityClass, Given> = [Exclude<PropertyOf<Entity>, Listed<Given>[keyof Given]>] extends [
  never,
]
  ? unknown
  : { missing: Exclude<PropertyOf<Entity>, Listed<Given>[keyof Given]> };

/** Treatment of the personal data of a table. */
interface Treatment {
  /** Time for which a row is kept, after its last use. */
  kept: string;
  /** People who see it, in the application or through the API. */
  seenBy: string;
  erasedBy: readonly Erasure[];
}

/** A table, with the personal data in it. */
export interface TableOfPersonalData {
  table: string;
  /** Columns by the kind of personal data in them; `none` for those without. */
  columns: ByKind<string>;
  /** Null for a table without personal data. */
  treatment: Treatment | null;
}

/** Declares the personal data in the table of an entity. The compiler rejects an entity with a property that has no kind. */
export const personalTable = <Entity extends EntityClass, const Given extends ByKind<PropertyOf<Entity>>>(
  entity: Entity,
  properties: Given & Complete<Entity, Given>,
  treatment: Treatment,
): TableOfPersonalData => ({ table: tableName(entity), columns: columnsOf(entity, properties), treatment });

/** Declares the personal data in the table of a resource, by the kinds of its columns. */
export const personalResource = (
  { table, personalColumns: columns }: Pick<Resource, 'table' | 'personalColumns'>,
  treatment: Treatment,
): TableOfPersonalData => ({ table, columns, treatment });

/** Declares a table without personal data. */
export const otherTable = <Entity extends EntityClass, const Given extends { none: readonly PropertyOf<Entity>[] }>(
  entity: Entity,
  properties: Given & Complete<Entity, Given>,
): TableOfPersonalData => ({ table: tableName(entity), columns: columnsOf(entity, properties), treatment: null });

/** Columns of the properties. Several properties may have one column. */
const columnsOf = (entity: EntityClass, properties: ByKind<string>): ByKind<string> =>
  Object.fromEntries(
    Object.entries(properties).map(([kind, names]) => [
      kind,
      [...new Set(names.map((property) => columnName(entity, property)))],
    ]),
  );
