import { p } from '@mikro-orm/core';
import { resolveAccess } from './access.ts';
import type { Access, ResourceAccess } from './access.ts';
import { auditedResource, columnOf, defaultsOf, deriveFields, optionsOf, toSnakeCase } from './audited-resource.ts';
import type {
  AuditOptions,
  AuditedResource,
  DerivedFields,
  Properties,
  Property,
  ResourceKey,
} from './audited-resource.ts';
import { changeMetadata } from './change-metadata.ts';
import { countedChildren } from './children.ts';
import type { ChildCounts, CountedChild } from './children.ts';
import type { ChangeParameters, ChangesOf, DefaultsOf, FieldsOf, ShownPeople } from './field-types.ts';
import { PEOPLE_PROPERTIES } from './people.ts';
import type { PeopleField, PeopleProperty } from './people.ts';

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
  readonly people: readonly PeopleField[];
  readonly children: readonly CountedChild[];
  readonly deriveFields: (fields: object) => Derived;
  readonly access: ResourceAccess;
  /** Never set: carries the types of the fields. */
  readonly '~fields'?: { created: Created; fields: Fields; readOnly: ReadOnly } | undefined;
}

interface ResourceDefinition<Type, Of, Created, Fields, ReadOnly, Names, People, Children, Derived> extends Omit<
  AuditOptions<keyof (Created & Fields) & string>,
  'names' | 'derived' | 'parents'
> {
  type: Type;
  /** Rule for access to the resources, within their company. */
  access: Access & { of: Of };
  created?: Created;
  fields: Fields;
  readOnly?: ReadOnly;
  /** Public names of fields that differ from their property. */
  names?: Names;
  /**
   * Properties that refer to users, each with the name of the field that takes their ids: `{ assignee: 'assigneeId' }`. Responses and events
   * show the users under the name of the property. The entity tag covers their names.
   */
  people?: People;
  /** Type of the resources with scopes of their own that belong to it, by the field with their number: `{ evidenceCount: 'evidence' }`. */
  children?: Children;
  /** Fields that the API shows beside the stored ones: true if another field has a value. */
  derived?: Derived;
}

const isListOf = (property: Property | undefined) => property !== undefined && optionsOf(property)['array'] === true;

const lacksFramework = ({ framework, parents }: ResourceAccess) =>
  framework === 'none' || parents.some(({ resource: { mayLackFramework } }) => mayLackFramework);

type TypeOf<Parent> = Parent extends { readonly type: infer Type extends string } ? Type : never;
/** Fields of what belongs to another resource: that one, and its framework if it has one. */
type ParentOf<Of> = Of extends string ? None : { resource: ResourceKey<TypeOf<Of[keyof Of]>>; framework?: number };

/** The field `resource` of an item that has the id of its parent. Events have it already. */
const parentOf = ({ parents }: ResourceAccess, item: object) =>
  parents.flatMap(({ field, resource: { type } }) => {
    const id: unknown = Reflect.get(item, field);
    return typeof id === 'string' ? [['resource', { type, uniqueId: id }] as const] : [];
  });

/** Declares a resource once: its columns, interfaces, statements, audited fields and schema defaults derive from it. */
export function defineResource<
  const Type extends string,
  const Of extends Access['of'],
  Fields extends Properties,
  Created extends Properties = None,
  ReadOnly extends Properties = None,
  const Names extends Readonly<Record<string, string>> = None,
  const People extends { readonly [Name in PeopleProperty]?: string } = None,
  const Children extends Readonly<Record<string, string>> = None,
  const Derived extends DerivedFields = None,
>({
  type,
  access,
  created,
  fields,
  readOnly,
  names,
  people,
  children,
  derived,
  ...auditOptions
}: ResourceDefinition<Type, Of, Created, Fields, ReadOnly, Names, People, Children, Derived>) {
  type Shown = { [Field in keyof Derived]: boolean } & ParentOf<Of>;
  type PublicFields = FieldsOf<Fields, Names & People>;
  const idFields: ReadonlyMap<string, string> = new Map(Object.entries(people ?? {}));
  const publicName = (name: string) => idFields.get(name) ?? names?.[name] ?? name;
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
    ...auditedResource(type, properties, {
      ...auditOptions,
      ...(names && { names }),
      ...(derived && { derived }),
      kinds: Object.fromEntries(
        [...idFields.keys()].map((name) => [name, isListOf(fields[name]) ? 'people' : 'person']),
      ),
      unaudited,
      parents: resolvedAccess.parents.map(({ field }) => field),
    }),
    access: resolvedAccess,
    mayLackFramework: lacksFramework(resolvedAccess),
    deriveFields: (shown: object) =>
      fromEntries<Shown>([...Object.entries(deriveFields(derived ?? {}, shown)), ...parentOf(resolvedAccess, shown)]),
    properties,
    createdFields,
    fields: changeable,
    readOnlyFields: toFields(readOnly ?? {}),
    people: PEOPLE_PROPERTIES.flatMap((name): PeopleField[] => {
      const property = idFields.has(name) ? fields[name] : undefined;
      return property === undefined ? [] : [{ name, column: columnOf(name, property), isList: isListOf(property) }];
    }),
    children: countedChildren(toSnakeCase(type), children ?? {}),
    '~fields': undefined as
      | {
          created: FieldsOf<Created, Names>;
          fields: PublicFields;
          readOnly: FieldsOf<ReadOnly, Names> & ShownPeople<Fields, People> & ChildCounts<Children>;
        }
      | undefined,
    /** Values of fields that a create omits. */
    defaults: fromEntries<DefaultsOf<Fields, Names & People>>(defaultsOf(fields, publicName)),
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
