import type { Access, ResourceAccess } from './access.ts';
import type { AuditOptions, AuditedResource } from './audited-resource.ts';
import type { CountedChild, Lookup } from './children.ts';
import type { PeopleField } from './people.ts';

/** No fields. */
// oxlint-disable-next-line typescript/no-generated-empty-object-type -- an object with these and no others
export type None = Record<never, never>;

export interface ResourceField {
  readonly name: string;
  readonly column: string;
  readonly isNullable: boolean;
  readonly isJson: boolean;
}

/** What a field may refer to. `entities/statements/references.ts` checks it. */
export type ReferenceKind = 'member' | 'department' | 'framework' | 'gap' | 'vendor';

/** A field with the id of another object of the company, or several. */
export interface Reference {
  /** Field of requests with the ids. */
  readonly field: string;
  readonly column: string;
  readonly kind: ReferenceKind;
  readonly isList: boolean;
  /** True if the object belongs to a framework, which the reference must fit. */
  readonly inFramework: boolean;
  /** Name of the field in errors. */
  readonly shownAs: string;
  /** What is said of several that cannot be used, if it is not the text of the kind. */
  readonly several?: string | undefined;
}

/** What a field refers to, with the texts of its error where they are not those of the kind. */
export type DeclaredReference = ReferenceKind | Pick<Reference, 'kind' | 'shownAs' | 'several'>;

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
  /** Fields that refer to other objects. A request may add only usable references. */
  readonly references: readonly Reference[];
  readonly children: readonly CountedChild[];
  /** Fields that a read looks up. */
  readonly lookups: readonly { field: string; lookup: Lookup }[];
  readonly deriveFields: (fields: object) => Derived;
  readonly access: ResourceAccess;
  /** Never set: carries the types of the fields. */
  readonly '~fields'?: { created: Created; fields: Fields; readOnly: ReadOnly } | undefined;
}

export interface ResourceDefinition<
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
> extends Omit<AuditOptions<keyof (Created & Fields) & string>, 'names' | 'derived' | 'parents'> {
  type: Type;
  /** Rule for access to the resources, within their company. */
  access: Access & { of: Of };
  created?: Created;
  fields: Fields;
  readOnly?: ReadOnly;
  /** Columns that neither responses nor events show. */
  hidden?: Hidden;
  /** Public names of fields that differ from their property. */
  names?: Names;
  /**
   * Properties that refer to users, each with the name of the field that takes their ids: `{ assignee: 'assigneeId' }`. Responses and events
   * show the users under the name of the property. The entity tag covers their names.
   */
  people?: People;
  /**
   * What properties refer to, in the order of the checks: `{ department: 'department' }`. People that a request sets are members, and are
   * checked last. Text and name of an error may differ.
   */
  references?: { readonly [Name in keyof Fields]?: DeclaredReference };
  /** Type of the resources with scopes of their own that belong to it, by the field with their number: `{ evidenceCount: 'evidence' }`. */
  children?: Children;
  /** Fields that a read looks up. One with the name of another field is shown in its place. */
  lookups?: Lookups;
  /** Fields that the API shows beside the stored ones: true if another field has a value. */
  derived?: Derived;
}
