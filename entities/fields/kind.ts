import type { z } from 'zod';
import type { PersonalKind } from '../personal-data/kinds.ts';
import type { Property, PropertyBuilder } from '../schema/audited-resource.ts';
import { forModels } from './schemas.ts';

/** A check of a table on one column. Its name is that of the table and the column, and the suffix. */
interface ColumnCheck {
  readonly suffix: string;
  readonly condition: (column: string) => string;
}

/** A column of a table. */
export interface Column<P extends Property = Property> {
  readonly property: P;
  /** Kind of personal data in it. */
  readonly personal: PersonalKind | 'none';
  readonly check?: ColumnCheck | undefined;
  /** Name of the field as people read it, by default the words of its name. */
  readonly label?: string | undefined;
  /** Keys of a JSON object that earlier ones lack. Responses show them as null, but not in events and earlier states. */
  readonly laterKeys?: readonly string[];
}

/** Name of a field as people read it: `dueDate` is "Due date". */
export function labelOf(name: string, { label }: Pick<Column, 'label'> = {}): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return label ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** A value as people read it. */
export type Word = readonly [value: string | number, word: string];

/** Form in which people write a value in a file, if it is neither text nor a number. */
type Written = 'boolean' | 'contacts' | 'date' | 'html' | 'list' | 'recurrence' | 'url';

/** What the files that people exchange need to know about a field. */
interface ForPeople {
  readonly label?: string | undefined;
  readonly written?: Written | undefined;
  /** Words for the values, in their order. */
  readonly words?: readonly Word[] | undefined;
}

/** A column that requests do not set and responses do not show as it is stored. */
export const plainColumn = <P extends Property>(
  property: P,
  personal: Column['personal'],
  check?: ColumnCheck,
): Column<P> => ({ property, personal, check });

/** What a field may refer to. `entities/statements/references.ts` checks it. */
export type ReferenceKind = 'member' | 'department' | 'framework' | 'gap' | 'vendor' | 'requirement' | 'parent';

export interface RefersTo {
  readonly kind: ReferenceKind;
  /** True for a member who may not be an auditor. */
  readonly excludesAuditors?: boolean;
  /** Error for several that cannot be used, if it differs from that of the kind. */
  readonly several?: string | undefined;
}

/** A column with its schemas, which a kind of field returns. Neither has a default: defaults belong to the schemas of a create alone. */
export interface Field<
  P extends Property = Property,
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
>
  extends Column<P>, ForPeople {
  /** Schema of the field in requests. */
  readonly input: Input;
  /** Schema of the field in responses. */
  readonly output: Output;
  /** Schema of what responses show in its place, under the name of the property. */
  readonly shown?: z.ZodType | undefined;
  /** Schema of a filter of lists: values separated by commas, as text. */
  readonly filter?: z.ZodType | undefined;
  readonly refersTo?: RefersTo | undefined;
  /** Message for a value of the schema that no row may have, under the name of the property. */
  readonly violation?: (name: string, value: unknown) => string | undefined;
}

/** A property builder of MikroORM that may still change. */
export interface Builder extends PropertyBuilder {
  nullable(): Builder;
  default(value: string | number | boolean | string[] | number[]): Builder;
}

/** A field whose form a declaration may change. */
interface AdjustableField<P extends Builder, Input extends z.ZodType, Output extends z.ZodType> extends Field<
  P,
  Input,
  Output
> {
  nullable: () => AdjustableField<ReturnType<P['nullable']>, z.ZodNullable<Input>, z.ZodNullable<Output>>;
  /** Sets the value of a field that a create omits. */
  default: (value: Parameters<P['default']>[0]) => AdjustableField<ReturnType<P['default']>, Input, Output>;
  /** Returns the field without the check of the table, or with another one. */
  withCheck: (check: ColumnCheck | undefined) => AdjustableField<P, Input, Output>;
  /** Returns the field for a text that says nothing about people. */
  withoutPersonalData: () => AdjustableField<P, Input, Output>;
  /** Returns the field with another label, or another form in files. */
  forPeople: (form: ForPeople) => AdjustableField<P, Input, Output>;
}

/** Makes the field of a kind. @param nullable schemas of the field if it may be null */
export const field = <P extends Builder, Input extends z.ZodType, Output extends z.ZodType>(
  declared: Field<P, Input, Output>,
  nullable = () => ({ input: declared.input.nullable(), output: declared.output.nullable() }),
): AdjustableField<P, Input, Output> => ({
  ...declared,
  nullable: () =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the method of this builder returns its own type
    field({ ...declared, property: declared.property.nullable() as ReturnType<P['nullable']>, ...nullable() }),
  default: (value) =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the method of this builder returns its own type
    field({ ...declared, property: declared.property.default(value) as ReturnType<P['default']> }, nullable),
  withCheck: (check) => field({ ...declared, check }, nullable),
  withoutPersonalData: () => field({ ...declared, personal: 'none' }, nullable),
  forPeople: (form) => field({ ...declared, ...form }, nullable),
});

/** Texts about a field in the documents. */
export interface Texts<Example = unknown> {
  /** In responses, and in requests without a text of their own. */
  readonly description: string;
  /** Example in responses. */
  readonly example?: Example;
  /** What the document says only about requests. */
  readonly input?: { readonly description?: string; readonly example?: Example };
  /** Description of requests for models, by default the same; null for a name that says enough. */
  readonly forModels?: string | null;
}

/** Adds the texts to a schema of requests. @param keywords of the document, beside the texts */
export function describeInput<Schema extends z.ZodType>(
  schema: Schema,
  { description, input = {}, forModels: textForModels }: Texts,
  keywords: z.core.GlobalMeta = {},
): Schema {
  const described = schema.meta({ description: input.description ?? description, ...keywords, ...examplesOf(input) });
  if (textForModels !== undefined) forModels.add(described, { description: textForModels ?? undefined });
  return described;
}

/** The keyword for the example in a text. */
export const examplesOf = ({ example }: { example?: unknown }) =>
  example === undefined ? {} : { examples: [example] };
