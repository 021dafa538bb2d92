import { p } from '@mikro-orm/core';
import { resolveAccess } from './access.ts';
import type { Access, ResourceAccess } from './access.ts';
import { auditedResource, columnOf, optionsOf } from './audited-resource.ts';
import type { AuditOptions, AuditedResource, Properties, Property } from './audited-resource.ts';
import { changeMetadata } from './change-metadata.ts';

type BuilderOf<P> = P extends () => infer Builder ? Builder : P;
type OptionsOf<P> = BuilderOf<P> extends { '~options': infer Options } ? Options : never;
type BuilderValue<P> = BuilderOf<P> extends { '~type'?: { value: infer Value } } ? Value : never;
/** The value of a builder, or the id of a referenced entity. */
type SingleValue<P> = P extends () => unknown
  ? BuilderValue<P> extends { uniqueId: unknown }
    ? string
    : number
  : BuilderValue<P>;
type NotNullValue<P> = OptionsOf<P> extends { array: true } ? SingleValue<P>[] : SingleValue<P>;
type FieldValue<P> = OptionsOf<P> extends { nullable: true } ? NotNullValue<P> | null : NotNullValue<P>;
type PublicName<Name, Names> = Name extends keyof Names ? Names[Name] & string : Name & string;
type FieldsOf<Props, Names> = { [Name in keyof Props as PublicName<Name, Names>]: FieldValue<Props[Name]> };

type WithDefault<Props> = {
  [Name in keyof Props]: OptionsOf<Props[Name]> extends { default: unknown } | { nullable: true } ? Name : never;
}[keyof Props];
type DefaultsOf<Props, Names> = FieldsOf<Pick<Props, WithDefault<Props>>, Names>;

/** Changes of an update. Omitted fields keep their value; null clears. */
export type ChangesOf<Fields> = { [Name in keyof Fields]?: Fields[Name] | undefined };

type NullableName<Fields> = { [Name in keyof Fields]: null extends Fields[Name] ? Name : never }[keyof Fields];
/** Changes as parameters of a statement. A flag tells a nullable field that is cleared from one that is omitted. */
export type ChangeParameters<Fields> = ChangesOf<Fields> & {
  [Name in NullableName<Fields> as `${Name & string}Given`]: boolean;
};

/** No fields. */
// oxlint-disable-next-line typescript/no-generated-empty-object-type -- an object with these and no others
type None = Record<never, never>;

interface ResourceField {
  readonly name: string;
  readonly column: string;
  readonly isNullable: boolean;
}

/** A resource with a `uniqueId`, fields and change metadata. `entities/statements/resource.ts` has its SQL. */
export interface Resource<
  Created extends object = object,
  Fields extends object = object,
  Derived extends object = object,
  ReadOnly extends object = object,
> extends AuditedResource {
  /** Fields that a create sets and no update changes. */
  readonly createdFields: readonly ResourceField[];
  /** Fields that an update may change. */
  readonly fields: readonly ResourceField[];
  /** Fields that neither a create nor an update takes. Statements of their own write them. */
  readonly readOnlyFields: readonly ResourceField[];
  readonly deriveFields: (fields: object) => Derived;
  readonly access: ResourceAccess;
  /** Values of columns in events that are older than the column. A nullable column is null. */
  readonly earlierValues: Readonly<Record<string, unknown>>;
  /** Never set: carries the types of the fields. */
  readonly '~fields'?: { created: Created; fields: Fields; readOnly: ReadOnly } | undefined;
}

interface ResourceDefinition<Type, Created, Fields, ReadOnly, Names, Derived> extends Omit<
  AuditOptions<keyof Fields & string>,
  'names' | 'deriveFields'
> {
  type: Type;
  /** Rule for access to the resources, within their company. */
  access: Access;
  created?: Created;
  fields: Fields;
  readOnly?: ReadOnly;
  /** Public names of fields that differ from their property. */
  names?: Names;
  /** Fields that the API shows beside the stored ones. */
  deriveFields?: (fields: object) => Derived;
}

/** Default of each property that has one, by the name that `nameOf` gives it. */
const defaultsOf = (props: Properties, nameOf: (name: string, property: Property) => string) =>
  Object.entries(props).flatMap(([name, property]) => {
    const { nullable, default: value = nullable === true ? null : undefined } = optionsOf(property);
    return value === undefined ? [] : [[nameOf(name, property), value] as const];
  });

/** Declares a resource once: its columns, interfaces, statements, audited fields and schema defaults derive from it. */
export function defineResource<
  const Type extends string,
  Fields extends Properties,
  Created extends Properties = None,
  ReadOnly extends Properties = None,
  const Names extends Readonly<Record<string, string>> = None,
  Derived extends object = None,
>({
  type,
  access,
  created,
  fields,
  readOnly,
  names,
  deriveFields,
  ...auditOptions
}: ResourceDefinition<Type, Created, Fields, ReadOnly, Names, Derived>) {
  type PublicFields = FieldsOf<Fields, Names>;
  const publicName = (name: string) => names?.[name] ?? name;
  const toFields = (props: Properties): ResourceField[] =>
    Object.entries(props).map(([name, property]) => ({
      name: publicName(name),
      column: columnOf(name, property),
      isNullable: optionsOf(property)['nullable'] === true,
    }));
  const changeable = toFields(fields);
  const createdFields = toFields(created ?? {});
  const columns = new Map(createdFields.map(({ name, column }) => [name, column]));
  const resolvedAccess = resolveAccess(type, access, columns);
  const inherited: Properties = resolvedAccess.framework === 'inherited' ? { frameworkId: p.integer() } : {};
  const uniqueId = p.uuid().primary();
  const properties = {
    uniqueId,
    ...fromEntries<Created>(Object.entries(created ?? {})),
    ...fields,
    ...fromEntries<ReadOnly>(Object.entries(readOnly ?? {})),
    ...fromEntries<None>(Object.entries(inherited)),
    ...changeMetadata,
  };
  const unaudited = [...(auditOptions.unaudited ?? []), ...Object.keys(inherited)];
  return {
    ...auditedResource(type, properties, { ...auditOptions, ...(names && { names }), unaudited }),
    access: resolvedAccess,
    earlierValues: fromEntries<Record<string, unknown>>(defaultsOf({ ...fields, ...readOnly }, columnOf)),
    deriveFields: deriveFields ?? (() => fromEntries<Derived>([])),
    properties,
    createdFields,
    fields: changeable,
    readOnlyFields: toFields(readOnly ?? {}),
    '~fields': undefined as
      | { created: FieldsOf<Created, Names>; fields: PublicFields; readOnly: FieldsOf<ReadOnly, Names> }
      | undefined,
    /** Values of fields that a create omits. */
    defaults: fromEntries<DefaultsOf<Fields, Names>>(defaultsOf(fields, publicName)),
    /** Maximum length of text fields, in characters. */
    maxLengths: fromEntries<Record<keyof PublicFields, number>>(
      Object.entries(fields).map(([name, property]) => [publicName(name), optionsOf(property)['length']]),
    ),
    /** Fields after changes. */
    applyChanges: (before: PublicFields, changes: ChangesOf<PublicFields>) =>
      fromEntries<PublicFields>(
        changeable.map(({ name }) => {
          const value: unknown = Reflect.get(changes, name);
          return [name, value === undefined ? Reflect.get(before, name) : value];
        }),
      ),
    /** Parameters of the update statement for changes. */
    changeParameters: <Changes extends ChangesOf<PublicFields>>(changes: Changes) => ({
      ...changes,
      ...fromEntries<Omit<ChangeParameters<PublicFields>, keyof PublicFields>>(
        changeable.flatMap(({ name, isNullable }) =>
          isNullable ? [[`${name}Given`, Reflect.get(changes, name) !== undefined]] : [],
        ),
      ),
    }),
  };
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the type
const fromEntries = <T>(entries: readonly (readonly [string, unknown])[]): T =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- names and values come from the properties of the type
  Object.fromEntries(entries) as T;
