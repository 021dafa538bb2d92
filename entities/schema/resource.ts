import { JsonType, p } from '@mikro-orm/core';
import { resolveAccess } from './access.ts';
import type { Access, ResourceAccess } from './access.ts';
import { auditedResource, columnOf, defaultsOf, deriveFields, optionsOf, toSnakeCase } from './audited-resource.ts';
import type { DerivedFields, Properties, Property, ResourceKey } from './audited-resource.ts';
import { changeMetadata } from './change-metadata.ts';
import type { DeclaredReference, None, Reference, ResourceDefinition, ResourceField } from './resource-definition.ts';
import { childLookup, countedChildren } from './children.ts';
import type { ChildCounts, LookedUp, Lookup } from './children.ts';
import type { ChangeParameters, ChangesOf, DefaultsOf, FieldsOf, ShownPeople } from './field-types.ts';
import { PEOPLE_PROPERTIES } from './people.ts';
import type { PeopleField, PeopleProperty } from './people.ts';

const isJson = (property: Property) => optionsOf(property)['type'] === JsonType;

/** Content of a column that refers to users. */
const shapeOf = (property: Property): PeopleField['shape'] =>
  optionsOf(property)['array'] === true ? 'list' : isJson(property) ? 'review' : 'one';

/** Kind of a column in events, by its shape. */
const KINDS = { one: 'person', list: 'people', review: 'review' } as const;

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
  Hidden extends Properties = None,
  const Names extends Readonly<Record<string, string>> = None,
  const People extends { readonly [Name in PeopleProperty]?: string } = None,
  const Children extends Readonly<Record<string, string>> = None,
  const Lookups extends Readonly<Record<string, Lookup>> = None,
  const Derived extends DerivedFields = None,
>({
  type,
  access,
  created,
  fields,
  readOnly,
  hidden,
  names,
  people,
  references,
  children,
  lookups,
  derived,
  ...auditOptions
}: ResourceDefinition<Type, Of, Created, Fields, ReadOnly, Hidden, Names, People, Children, Lookups, Derived>) {
  type Shown = { [Field in keyof Derived]: boolean } & ParentOf<Of>;
  type PublicFields = FieldsOf<Fields, Names & People>;
  const idFields: ReadonlyMap<string, string> = new Map(Object.entries(people ?? {}));
  const publicName = (name: string) => idFields.get(name) ?? names?.[name] ?? name;
  const toFields = (props: Properties): ResourceField[] =>
    Object.entries(props).map(([name, property]) => ({
      name: publicName(name),
      column: columnOf(name, property),
      isNullable: optionsOf(property)['nullable'] === true,
      isJson: isJson(property),
    }));
  const changeable = toFields(fields);
  const createdFields = toFields(created ?? {});
  const columns = new Map(createdFields.map(({ name, column }) => [name, column]));
  const resolvedAccess = resolveAccess(type, access, columns);
  const inherited: Properties = resolvedAccess.framework === 'inherited' ? { frameworkId: p.integer() } : {};
  const ofPeople = PEOPLE_PROPERTIES.flatMap((name) => {
    const property = idFields.has(name) ? { ...fields, ...readOnly }[name] : undefined;
    return property === undefined ? [] : [{ name, column: columnOf(name, property), shape: shapeOf(property) }];
  });
  const declaredReferences: Readonly<Record<string, DeclaredReference | undefined>> = references ?? {};
  const referring = new Map(Object.entries(declaredReferences));
  for (const { name } of ofPeople) if (name in fields) referring.set(name, declaredReferences[name] ?? 'member');
  const toReference = (name: string, declared: DeclaredReference = 'member'): Reference[] => {
    const property = fields[name];
    if (property === undefined) return [];
    const field = publicName(name);
    const given = typeof declared === 'string' ? { kind: declared } : declared;
    const isList = optionsOf(property)['array'] === true;
    const inFramework = resolvedAccess.framework !== 'none';
    return [{ field, column: columnOf(name, property), isList, inFramework, shownAs: field, ...given }];
  };
  const counted = countedChildren(toSnakeCase(type), children ?? {});
  const lookedUp = [
    ...counted.map((child) => ({ field: child.field, lookup: childLookup(child) })),
    ...Object.entries<Lookup>(lookups ?? {}).map(([field, lookup]) => ({ field, lookup })),
  ];
  /** Read-only fields that responses show in another form. */
  const shownOtherwise = new Set<string>([...ofPeople.map(({ name }) => name), ...lookedUp.map(({ field }) => field)]);
  const uniqueId = p.uuid().primary();
  const properties = {
    uniqueId,
    ...fromEntries<Created>(Object.entries(created ?? {})),
    ...fields,
    ...fromEntries<ReadOnly>(Object.entries(readOnly ?? {})),
    ...fromEntries<Hidden>(Object.entries({ ...inherited, ...hidden })),
    ...changeMetadata,
  };
  const unaudited = [...(auditOptions.unaudited ?? []), ...Object.keys({ ...inherited, ...hidden })];
  return {
    ...auditedResource(type, properties, {
      ...auditOptions,
      ...(names && { names }),
      ...(derived && { derived }),
      kinds: Object.fromEntries(ofPeople.map(({ name, shape }) => [name, KINDS[shape]])),
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
    readOnlyFields: toFields(readOnly ?? {}).filter(({ name }) => !shownOtherwise.has(name)),
    people: ofPeople,
    references: [...referring].flatMap(([name, declared]) => toReference(name, declared)),
    children: counted,
    lookups: lookedUp,
    '~fields': undefined as
      | {
          created: FieldsOf<Created, Names>;
          fields: PublicFields;
          readOnly: Omit<FieldsOf<ReadOnly, Names>, keyof (People & Lookups)> &
            ShownPeople<Fields & ReadOnly, People> &
            ChildCounts<Children> &
            LookedUp<Lookups>;
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
