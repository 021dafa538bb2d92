import { DateTimeType } from '@mikro-orm/core';

/** A property builder of MikroORM. References to other entities are functions that return one. */
export interface PropertyBuilder {
  readonly '~type'?: { value: unknown };
  readonly '~options': object;
}
export type Property = PropertyBuilder | (() => PropertyBuilder);
export type Properties = Readonly<Record<string, Property>>;

/** A resource of any type. */
export interface ResourceKey<Type extends string = string> {
  readonly type: Type;
  readonly uniqueId: string;
}

/** Table and columns from which the current name of a resource is read. */
export interface NameSource {
  readonly table: string;
  readonly companyColumn: string;
  readonly idColumn: string;
  readonly column: string;
}

/** The name of the user with the id of the resource. */
export const USER_NAME: NameSource = {
  table: 'company_user',
  companyColumn: 'company_id',
  idColumn: 'unique_id',
  column: 'name',
};

/** A table with an audit trigger. Audit events hold columns; the API shows fields. Contract, section 6. */
export interface AuditedResource<Type extends string = string> {
  /** Resource type in actions: `task` in `task.create`. The table has the same name in snake case. */
  readonly type: Type;
  readonly table: string;
  readonly idColumn: string;
  /** Source of the name by which people know the resource; null for a resource without a name. */
  readonly name: NameSource | null;
  /** Column of each audited field, in the order of the properties. */
  readonly auditedColumns: Readonly<Record<string, string>>;
  /** The same with the fields that only events of earlier versions have. */
  readonly shownColumns: Readonly<Record<string, string>>;
  /** Columns whose values are users or times, in events. The others are shown as they are stored. */
  readonly kinds: Readonly<Record<string, FieldKind>>;
  /** True if a row belongs to a framework: the column `framework_id`. Its events belong to the framework too. */
  readonly hasFramework: boolean;
  /** True if a row may belong to no framework. */
  readonly mayLackFramework: boolean;
  /** Columns that no audit event contains. A change of these columns alone writes no event, unless it has a verb. */
  readonly unauditedColumns: readonly string[];
  /**
   * Verb of an update that changes this column, in place of `update`. Of `resolve/reopen` the second one is that of an update
   * which makes it null. The verb `delete` makes a new value the end of the row, and null its return: the event then has the
   * whole row. `insert` and `delete` name the verbs of these commands.
   */
  readonly verbByColumn: Readonly<Record<string, string>>;
  /** Types of the resources of which a row belongs to one. */
  readonly parentTypes: readonly string[];
  /** Verbs of the resource, in the order of the API document. */
  readonly verbs: readonly string[];
  /** Values of columns in events that are older than the column. A nullable column is null. */
  readonly earlierValues: Readonly<Record<string, unknown>>;
  /** Fields that create and delete events show beside the stored ones: true if another field has a value. */
  readonly derived: DerivedFields;
  readonly deriveFields: (fields: object) => object;
  /** Fields that no event has, by the rule of the verifiers of proofs that gives their values in registers. */
  readonly registerRules: RegisterRules;
}

/** Fields with the name of their rule. Registers of proofs have them after the derived fields. */
export type RegisterRules = Readonly<Record<string, 'requirement'>>;

/** Fields that are true if the field `of` equals a value. */
export type DerivedFields = Readonly<Record<string, { readonly of: string; readonly equals: unknown }>>;

/** Kind of the values of a field: the id of a user, ids of users, an object with the id of a user as `by`, a time, or others. */
export type FieldKind = 'person' | 'people' | 'review' | 'time' | 'plain';

export interface AuditOptions<Name extends string> {
  /** The property that names the resource, or another source; null for a resource without a name. */
  name: Name | NameSource | null;
  /** Public names of fields that differ from their property: `department` is `departmentId`. */
  names?: Readonly<Record<string, string>>;
  /** Kinds of properties whose builder does not show it: arrays of ids of users are `people`. */
  kinds?: Readonly<Record<string, FieldKind>>;
  /** Properties that are not audited. Responses leave them out of the events of earlier versions too. */
  unaudited?: readonly string[];
  /** Properties that only earlier versions audited. Responses show them in their events. */
  formerly?: readonly string[];
  /** Types of the resources of which a row belongs to one, by the property that refers to it. Events have the field `resource` in their place. */
  parents?: Readonly<Record<string, string>>;
  /** Verbs by property: a change of `revokedAt` is `revoke`. Or by command: an `insert` is `update`. */
  verbs?: Readonly<Record<string, string>>;
  derived?: DerivedFields;
  registerRules?: RegisterRules;
  /** Column of the public id; by default `unique_id` or `id`. */
  idColumn?: string;
  /** Events without a verb of their own that the resource has; by default all. */
  operations?: readonly ('create' | 'update' | 'delete')[];
}

const OPERATIONS = ['create', 'update', 'delete'] as const;

/** Name under which events have the resource that a row belongs to. The audit trigger adds it. */
export const PARENT_COLUMN = 'resource';
/** Column of the framework that a row belongs to. */
export const FRAMEWORK_COLUMN = 'framework_id';
/** Entities whose ids are those of users. */
const USER_ENTITIES = new Set(['User', 'Member']);

/** Kind of a property: a reference to a user is `person`, a time is `time`. */
function kindOf(property: Property): FieldKind {
  const { type, entity } = optionsOf(property);
  if (type === DateTimeType) return 'time';
  const target: unknown = typeof entity === 'function' ? entity() : undefined;
  return typeof target === 'function' && USER_ENTITIES.has(target.name) ? 'person' : 'plain';
}

/** Derives the audited fields of a resource from the properties of its entity. */
export function auditedResource<const Type extends string, Props extends Properties>(
  type: Type,
  properties: Props,
  {
    name,
    names = {},
    kinds = {},
    unaudited: neverShown = [],
    formerly = [],
    parents = {},
    verbs = {},
    derived = {},
    registerRules = {},
    idColumn,
    operations = OPERATIONS,
  }: AuditOptions<keyof Props & string>,
): AuditedResource<Type> {
  const columns = Object.entries(properties).map(([property, builder]) => ({
    property,
    column: columnOf(property, builder),
    kind: kinds[property] ?? kindOf(builder),
  }));
  const unaudited = new Set([...neverShown, ...formerly, ...Object.keys(parents)]);
  const columnByName = Object.fromEntries(columns.map(({ property, column }) => [property, column]));
  const resource = Object.keys(parents).length > 0 ? [['resource', PARENT_COLUMN] as const] : [];
  /** Fields of the properties that are not left out, with the resource that the row belongs to after the first. */
  const fieldsWithout = (leftOut: ReadonlySet<string>) => {
    const shown = columns.filter(({ property }) => !leftOut.has(property));
    const fields = shown.map(({ property, column }) => [names[property] ?? property, column] as const);
    return Object.fromEntries([...fields.slice(0, 1), ...resource, ...fields.slice(1)]);
  };
  const hasFramework = columns.some(({ column }) => column === FRAMEWORK_COLUMN);
  const table = toSnakeCase(type);
  const id = idColumn ?? columnByName['uniqueId'] ?? 'id';
  return {
    type,
    table,
    idColumn: id,
    name: typeof name === 'string' ? nameSource(table, id, columnByName[name] ?? name) : name,
    auditedColumns: fieldsWithout(unaudited),
    shownColumns: fieldsWithout(new Set([...neverShown, ...Object.keys(parents)])),
    kinds: Object.fromEntries(columns.map(({ column, kind }) => [column, kind])),
    hasFramework,
    mayLackFramework: !hasFramework,
    unauditedColumns: columns.filter(({ property }) => unaudited.has(property)).map(({ column }) => column),
    verbByColumn: Object.fromEntries(Object.entries(verbs).map(([key, verb]) => [columnByName[key] ?? key, verb])),
    parentTypes: Object.values(parents),
    verbs: [
      ...new Set([
        ...operations,
        ...Object.values(verbs)
          .toReversed()
          .flatMap((verb) => verb.split('/')),
      ]),
    ],
    earlierValues: Object.fromEntries(defaultsOf(properties, columnOf)),
    derived,
    deriveFields: (fields) => deriveFields(derived, fields),
    registerRules,
  };
}

export const deriveFields = (derived: DerivedFields, fields: object) =>
  Object.fromEntries(
    Object.entries(derived).map(([field, { of, equals }]) => [field, Reflect.get(fields, of) === equals]),
  );

/** Default of each property that has one, by the name that `nameOf` gives it. */
export const defaultsOf = (props: Properties, nameOf: (name: string, property: Property) => string) =>
  Object.entries(props).flatMap(([name, property]) => {
    const { nullable, default: value = nullable === true ? null : undefined } = optionsOf(property);
    return value === undefined ? [] : [[nameOf(name, property), value] as const];
  });

/** A column of the table of the resource. The company is the only table whose own id is that of the tenant. */
const nameSource = (table: string, idColumn: string, column: string): NameSource => ({
  table,
  companyColumn: table === 'company' ? idColumn : 'company_id',
  idColumn,
  column,
});

/** Options of a property: `nullable`, `default`, `joinColumns`, … */
export const optionsOf = (property: Property): Readonly<Record<string, unknown>> => ({
  ...(typeof property === 'function' ? property() : property)['~options'],
});

/** Column of a property. A reference has a composite foreign key, which ends in its own column. */
export function columnOf(name: string, property: Property): string {
  const { fieldName, joinColumn, joinColumns } = optionsOf(property);
  if (typeof fieldName === 'string') return fieldName;
  if (typeof joinColumn === 'string') return joinColumn;
  return Array.isArray(joinColumns) ? String(joinColumns.at(-1)) : toSnakeCase(name);
}

/** Converts `apiKey` to `api_key`. */
export const toSnakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
