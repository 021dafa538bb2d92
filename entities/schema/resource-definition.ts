import type { Column, RefersTo } from '../fields/kind.ts';
import type { Rule } from '../fields/rules.ts';
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

/** A field with the id of another object of the company, or several. */
export interface Reference extends RefersTo {
  /** Field of the statements with the ids. */
  readonly field: string;
  readonly column: string;
  readonly isList: boolean;
  /** True if the object belongs to a framework, which the reference must fit. */
  readonly inFramework: boolean;
  /** Name of the field in errors. */
  readonly shownAs: string;
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
  /** Columns of the filters of lists, by the name of the filter. */
  readonly filterColumns: Readonly<Record<string, string>>;
  /** Fields that refer to other objects. A request may add only usable references. */
  readonly references: readonly Reference[];
  readonly children: readonly CountedChild[];
  /** Fields that a read looks up. */
  readonly lookups: readonly { field: string; lookup: Lookup }[];
  readonly deriveFields: (fields: object) => Derived;
  readonly access: ResourceAccess;
  readonly rules: readonly Rule[];
  /** Columns of the table by the kind of personal data in them. */
  readonly personalColumns: Readonly<Partial<Record<Column['personal'], readonly string[]>>>;
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
  RuleField extends string,
  Filter,
> extends Omit<AuditOptions<keyof (NoInfer<Created> & Fields) & string>, 'names' | 'derived' | 'parents'> {
  type: Type;
  /** Rule for access to the resources, within their company. */
  access: Access & { of: Of };
  created?: Created;
  /** Fields that requests set, of the kinds in `entities/fields`. */
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
  /** Type of the resources with scopes of their own that belong to it, by the field with their number: `{ evidenceCount: 'evidence' }`. */
  children?: Children;
  /** Fields that a read looks up. One with the name of another field is shown in its place. */
  lookups?: Lookups;
  /** Fields that the API shows beside the stored ones: true if another field has a value. */
  derived?: Derived;
  /** Fields by which lists of a parent are filtered. Their kind has a filter. */
  filters?: readonly Filter[];
  /** Rules over several fields. */
  rules?: readonly Rule<RuleField>[];
}
