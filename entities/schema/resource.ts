import { JsonType, p } from '@mikro-orm/core';
import type { z } from 'zod';
import { labelOf, plainColumn } from '../fields/kind.ts';
import type { Column, Field } from '../fields/kind.ts';
import { ruleCheck, violationOf } from '../fields/rules.ts';
import { actingUserReference } from '../company/user.ts';
import { parentChecks, resolveAccess } from './access.ts';
import type { Access, ResourceAccess } from './access.ts';
import { auditedResource, columnOf, defaultsOf, deriveFields, optionsOf, toSnakeCase } from './audited-resource.ts';
import type { DerivedFields, Property, ResourceKey } from './audited-resource.ts';
import { checksOf, fromEntries, personalColumnsOf, propertiesOf } from './columns.ts';
import type { Columns, DeclaredFields } from './columns.ts';
import type { None, Reference, ResourceDefinition, ResourceField } from './resource-definition.ts';
import { childLookup, countedChildren } from './children.ts';
import type { ChildCounts, LookedUp, Lookup } from './children.ts';
import type {
  ChangeParameters,
  ChangesOf,
  DefaultsOf,
  FieldsOf,
  Named,
  PropertiesOf,
  ShownPeople,
  ShownSchemas,
} from './field-types.ts';
import { PEOPLE_PROPERTIES } from './people.ts';
import type { PeopleField, PeopleProperty } from './people.ts';

/** Times and users of creation and last update, and the version, which counts changes from 1. */
const changeMetadata = {
  createdAt: plainColumn(p.datetime(3).defaultRaw('now()'), 'none'),
  updatedAt: plainColumn(p.datetime(3).defaultRaw('now()'), 'none'),
  createdBy: plainColumn(() => actingUserReference('created_by_id'), 'identifier'),
  updatedBy: plainColumn(() => actingUserReference('updated_by_id'), 'identifier'),
  version: plainColumn(p.integer().version(), 'none'),
};

const isJson = (property: Property) => optionsOf(property)['type'] === JsonType;

/** Content of a column that refers to users. */
const shapeOf = (property: Property): PeopleField['shape'] =>
  optionsOf(property)['array'] === true ? 'list' : isJson(property) ? 'review' : 'one';

/** Kind of a column in events, by its shape. */
const KINDS = { one: 'person', list: 'people', review: 'review' } as const;

const lacksFramework = ({ framework, parents }: ResourceAccess) =>
  framework === 'none' || parents.some(({ resource: { mayLackFramework } }) => mayLackFramework);

type TypeOf<Parent> = Parent extends { readonly type: infer Type extends string } ? Type : never;
/** Fields of a resource that belongs to another one: the parent, and its framework if it has one. */
type ParentOf<Of> = Of extends string ? None : { resource: ResourceKey<TypeOf<Of[keyof Of]>>; framework?: number };

/** The field `resource` of an item that has the id of its parent. Events have it already. */
const parentOf = ({ parents }: ResourceAccess, item: object) =>
  parents.flatMap(({ field, resource: { type } }) => {
    const id: unknown = Reflect.get(item, field);
    return typeof id === 'string' ? [['resource', { type, uniqueId: id }] as const] : [];
  });

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters, typescript/no-unsafe-type-assertion -- the type of columns that nobody declares
const noColumns = <Given extends Columns>() => ({}) as Given;

function filterOf(type: string, name: string, fields: DeclaredFields): z.ZodType {
  const filter = fields[name]?.filter;
  if (filter === undefined) throw new Error(`${type}: expected ${name} to be of a kind with a filter`);
  return filter;
}

/**
 * Declares a resource once: its columns, checks, interfaces, schemas, statements, audited fields, defaults and personal data derive
 * from it.
 */
export function defineResource<
  const Type extends string,
  const Of extends Access['of'],
  Fields extends DeclaredFields,
  Created extends Columns = None,
  ReadOnly extends Columns = None,
  Hidden extends Columns = None,
  const Names extends Readonly<Record<string, string>> = None,
  const People extends { readonly [Name in PeopleProperty]?: string } = None,
  const Children extends Readonly<Record<string, string>> = None,
  const Lookups extends Readonly<Record<string, Lookup>> = None,
  const Derived extends DerivedFields = None,
  const Filter extends keyof Fields & string = never,
>({
  type,
  access,
  names,
  people,
  children,
  lookups,
  derived,
  created = noColumns<Created>(),
  fields,
  readOnly = noColumns<ReadOnly>(),
  hidden = noColumns<Hidden>(),
  rules = [],
  filters = [],
  ...auditOptions
}: ResourceDefinition<
  Type,
  Of,
  Created,
  Fields,
  ReadOnly,
  Hidden,
  Names,
  People,
  Children,
  Lookups,
  Derived,
  keyof FieldsOf<PropertiesOf<Fields>, Names & People> & string,
  Filter
>) {
  type Shown = { [Name in keyof Derived]: boolean } & ParentOf<Of>;
  type FieldProperties = PropertiesOf<Fields>;
  type PublicFields = FieldsOf<FieldProperties, Names & People>;
  const table = toSnakeCase(type);
  const idFields: ReadonlyMap<string, string> = new Map(Object.entries(people ?? {}));
  const publicName = (name: string) => idFields.get(name) ?? names?.[name] ?? name;
  const toFields = (columns: Columns): ResourceField[] =>
    Object.entries(columns).map(([name, { property }]) => ({
      name: publicName(name),
      column: columnOf(name, property),
      isNullable: optionsOf(property)['nullable'] === true,
      isJson: isJson(property),
    }));
  const changeable = toFields(fields);
  const createdFields = toFields(created);
  const createdColumnByField = new Map(createdFields.map(({ name, column }) => [name, column]));
  const resolvedAccess = resolveAccess(type, access, createdColumnByField);
  const inherited: Columns =
    resolvedAccess.framework === 'inherited' ? { frameworkId: plainColumn(p.integer(), 'none') } : {};
  const ofPeople = PEOPLE_PROPERTIES.flatMap((name) => {
    const declared: Column | undefined = idFields.has(name) ? { ...fields, ...readOnly }[name] : undefined;
    if (declared === undefined) return [];
    const { property, laterKeys = [] } = declared;
    return [{ name, column: columnOf(name, property), shape: shapeOf(property), laterKeys }];
  });
  const references = Object.entries<Field>(fields).flatMap(([name, { property, refersTo }]): Reference[] => {
    if (refersTo === undefined) return [];
    const field = publicName(name);
    const isList = optionsOf(property)['array'] === true;
    // Requests take the ids of several people under the name under which responses show them.
    const shownAs = isList && refersTo.kind === 'member' ? name : field;
    const inFramework = resolvedAccess.framework !== 'none';
    return [{ ...refersTo, field, column: columnOf(name, property), isList, inFramework, shownAs }];
  });
  const counted = countedChildren(table, children ?? {});
  const lookedUp = [
    ...counted.map((child) => ({ field: child.field, lookup: childLookup(child) })),
    ...Object.entries<Lookup>(lookups ?? {}).map(([field, lookup]) => ({ field, lookup })),
  ];
  /** Read-only fields that responses show in another form. */
  const shownOtherwise = new Set<string>([...ofPeople.map(({ name }) => name), ...lookedUp.map(({ field }) => field)]);
  const uniqueId = plainColumn(p.uuid().primary(), 'none');
  const columns: Columns = {
    uniqueId,
    ...created,
    ...fields,
    ...readOnly,
    ...inherited,
    ...hidden,
    ...changeMetadata,
  };
  const properties = {
    ...propertiesOf({ uniqueId }),
    ...propertiesOf(created),
    ...propertiesOf(fields),
    ...propertiesOf(readOnly),
    ...propertiesOf<Hidden>({ ...inherited, ...hidden }),
    ...propertiesOf(changeMetadata),
  };
  const columnByField = new Map(changeable.map(({ name, column }) => [name, column]));
  const unaudited = [...(auditOptions.unaudited ?? []), ...Object.keys({ ...inherited, ...hidden })];

  const rulesOfFields = Object.entries<Field>(fields).map(([name, { violation }]) => ({
    violation: (given: object) => violation?.(name, Reflect.get(given, publicName(name))),
  }));
  const validate = (given: PublicFields | ChangesOf<PublicFields>) => violationOf([...rules, ...rulesOfFields], given);
  /** Fields after changes, which are not validated. */
  const withChanges = (before: PublicFields, changes: ChangesOf<PublicFields>) =>
    fromEntries<PublicFields>(
      changeable.map(({ name }) => {
        const value: unknown = Reflect.get(changes, name);
        return [name, value === undefined ? Reflect.get(before, name) : value];
      }),
    );
  return {
    ...auditedResource(type, properties, {
      ...auditOptions,
      ...(names && { names }),
      ...(derived && { derived }),
      kinds: Object.fromEntries(ofPeople.map(({ name, shape }) => [name, KINDS[shape]])),
      unaudited,
      parents: Object.fromEntries(resolvedAccess.parents.map((parent) => [parent.field, parent.resource.type])),
    }),
    access: resolvedAccess,
    mayLackFramework: lacksFramework(resolvedAccess),
    deriveFields: (shown: object) =>
      fromEntries<Shown>([...Object.entries(deriveFields(derived ?? {}, shown)), ...parentOf(resolvedAccess, shown)]),
    properties,
    createdFields,
    fields: changeable,
    readOnlyFields: toFields(readOnly).filter(({ name }) => !shownOtherwise.has(name)),
    people: ofPeople,
    // People are checked last.
    references: references.toSorted((one, other) => Number(one.kind === 'member') - Number(other.kind === 'member')),
    children: counted,
    lookups: lookedUp,
    '~fields': undefined as
      | {
          created: FieldsOf<PropertiesOf<Created>, Names>;
          fields: PublicFields;
          readOnly: Omit<FieldsOf<PropertiesOf<ReadOnly>, Names>, keyof (People & Lookups)> &
            ShownPeople<FieldProperties & PropertiesOf<ReadOnly>, People> &
            ChildCounts<Children> &
            LookedUp<Lookups>;
        }
      | undefined,
    /** Values of fields that a create omits. */
    defaults: fromEntries<DefaultsOf<FieldProperties, Names & People>>(defaultsOf(propertiesOf(fields), publicName)),
    /** The fields that requests set, with their schemas. */
    schemas: fromEntries<Named<Fields, Names & People>>(
      Object.entries(fields).map(([name, kind]) => [publicName(name), kind]),
    ),
    /** Names of the fields as people read them. */
    labels: Object.fromEntries(
      Object.entries({ ...created, ...fields, ...readOnly }).map(([name, column]) => [
        publicName(name),
        labelOf(name, column),
      ]),
    ),
    /** Schemas of the values that responses show for them. */
    shownSchemas: fromEntries<ShownSchemas<Fields, Names, People>>(
      Object.entries<Field>(fields).map(([name, { output, shown }]) =>
        shown === undefined ? [publicName(name), output] : [name, shown],
      ),
    ),
    /** Schemas of the filters of lists. */
    filters: fromEntries<Record<Filter, z.ZodType<string, string>>>(
      filters.map((name) => [name, filterOf(type, name, fields)]),
    ),
    filterColumns: fromEntries<Record<string, string>>(
      changeable.filter(({ name }) => filters.some((one) => one === name)).map(({ name, column }) => [name, column]),
    ),
    createdSchemas: created,
    readOnlySchemas: readOnly,
    /** Checks of the table. */
    checks: [
      ...parentChecks({ table, access: resolvedAccess }),
      ...checksOf(table, columns),
      ...rules.map((rule) => ruleCheck(table, rule, (field) => columnByField.get(field) ?? field)),
    ],
    rules,
    /** Error 422 for fields of which one, or several together, cannot be. */
    validate,
    personalColumns: personalColumnsOf(columns),
    withChanges,
    /** Fields after changes. @throws ApiError 422 of `validate` */
    applyChanges: (before: PublicFields, changes: ChangesOf<PublicFields>): PublicFields => {
      const after = withChanges(before, changes);
      const error = validate(after);
      if (error !== undefined) throw error;
      return after;
    },
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
