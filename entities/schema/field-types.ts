import type { z } from 'zod';
import type { Actor } from '../company/user.ts';
import type { Column } from '../fields/kind.ts';
import type { StoredAct } from './people.ts';

/** The properties of columns. */
export type PropertiesOf<Columns extends Readonly<Record<string, Column>>> = {
  [Name in keyof Columns]: Columns[Name]['property'];
};
/** Columns or fields, under their public names. */
export type Named<Columns, Names> = { [Name in keyof Columns as PublicName<Name, Names>]: Columns[Name] };

type ShownField<F> = F extends { shown: infer Schema extends z.ZodType }
  ? Schema
  : F extends { output: infer Output }
    ? Output
    : never;
/** Schemas of what responses show, under its name there. */
export type ShownSchemas<Fields, Names, People> = {
  [Name in keyof Fields as Name extends keyof People ? Name & string : PublicName<Name, Names>]: ShownField<
    Fields[Name]
  >;
};

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
/** Types of the fields of properties, under their public names. */
export type FieldsOf<Props, Names> = { [Name in keyof Props as PublicName<Name, Names>]: FieldValue<Props[Name]> };

/** A stored value with users in place of their ids. */
type Shown<Value> = Value extends readonly unknown[]
  ? Actor[]
  : Value extends StoredAct
    ? Omit<Value, 'by'> & { by: Actor }
    : Value extends null
      ? null
      : Actor;

/** The people whom responses show for the ids of a field. */
export type ShownPeople<Props, People> = {
  [Name in keyof People & keyof Props]: Shown<FieldValue<Props[Name]>>;
};

type WithDefault<Props> = {
  [Name in keyof Props]: OptionsOf<Props[Name]> extends { default: unknown } | { nullable: true } ? Name : never;
}[keyof Props];
/** Types of the fields that have a default. */
export type DefaultsOf<Props, Names> = FieldsOf<Pick<Props, WithDefault<Props>>, Names>;

/** Changes of an update. Omitted fields keep their value; null clears. */
export type ChangesOf<Fields> = { [Name in keyof Fields]?: Fields[Name] | undefined };

type NullableName<Fields> = { [Name in keyof Fields]: null extends Fields[Name] ? Name : never }[keyof Fields];
/** Changes as parameters of a statement. A flag tells a nullable field that is cleared from one that is omitted. */
export type ChangeParameters<Fields> = ChangesOf<Fields> & {
  [Name in NullableName<Fields> as `${Name & string}Given`]: boolean;
};
