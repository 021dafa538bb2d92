import { z } from 'zod';
import { foldedParameter, foldedSql } from '../fold-case.ts';
import { UNIQUE_ID_PATTERN, isUniqueId } from '../ids.ts';
import { columnOf } from '../schema/audited-resource.ts';
import type { Properties } from '../schema/audited-resource.ts';
import { fromEntries } from '../schema/columns.ts';
import { placeholderOf } from '../statements/columns.ts';
import type { Placeholders } from '../statements/define-statement.ts';
import { expected, expectedList, forModels, integerInput, listInput, searchText, textInput } from './schemas.ts';

/**
 * A filter of a list of rows `t`. Requests send those with a schema, and code sets the others. Those with a type are parameters of the
 * statements; code translates the others into these.
 */
interface Filter {
  /** Schema in requests, which the list makes optional. */
  readonly schema?: z.ZodType;
  /** Type in SQL. */
  readonly type?: string;
  /** The parameter for the value of a request, by default that value. Null for no filter. */
  readonly toValue?: (sent: never) => unknown;
  /** Name of the filter whose schema it has, by default its own. */
  readonly of?: string;
  /** Condition in SQL for the parameter. */
  readonly condition?: (value: string, placeholders: object) => string;
}

type NamesWith<Declared, Part> = {
  [Name in keyof Declared]: Declared[Name] extends Part ? Name : never;
}[keyof Declared];
type SchemaOf<Declared> = Declared extends { schema: infer Schema extends z.ZodType } ? Schema : never;
type Optional<Schema extends z.ZodType> = Schema extends z.ZodOptional ? Schema : z.ZodOptional<Schema>;
type ShapeOf<Declared> = {
  [Name in NamesWith<Declared, { schema: z.ZodType }>]: Optional<SchemaOf<Declared[Name]>>;
};
type ValueOf<Declared> = Declared extends { toValue: (sent: never) => infer Value }
  ? Value
  : Declared extends { schema: z.ZodType }
    ? Exclude<z.output<SchemaOf<Declared>>, undefined>
    : string;

/** Parameters of the statements with these filters. Null for no filter. */
export type ParametersOf<Declared> = {
  [Name in NamesWith<Declared, { type: string }>]: ValueOf<Declared[Name]> | null;
};

/** Derives the query of a list, and the parameters and conditions of its statements, from its filters. */
export function defineFilters<const Declared extends Readonly<Record<string, Filter>>>(declared: Declared) {
  type Parameters = ParametersOf<Declared>;
  type Conditional = NamesWith<Declared, Required<Pick<Filter, 'type' | 'condition'>>> & string;
  const filters = Object.entries<Filter>(declared);
  return {
    /** Fields of the query. */
    shape: fromEntries<ShapeOf<Declared>>(
      filters.flatMap(([name, { schema }]) =>
        schema === undefined ? [] : [[name, schema instanceof z.ZodOptional ? schema : schema.optional()]],
      ),
    ),
    /** Parameters for a query. Those that code sets are null. */
    parameters: (query: z.output<z.ZodObject<ShapeOf<Declared>>>) =>
      fromEntries<Parameters>(
        filters.flatMap(([name, { type, of = name, toValue = (sent: unknown) => sent }]) => {
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema has parsed it
          const sent = Reflect.get(query, of) as never;
          return type === undefined ? [] : [[name, sent === undefined ? null : toValue(sent)]];
        }),
      ),
    /** Conditions of filters, each of which may be null. */
    where: (placeholders: Placeholders<Parameters>, ...names: readonly Conditional[]) =>
      names
        .map((name) => {
          const { type, condition = String } = declared[name] ?? {};
          const value = placeholderOf(placeholders, name);
          return `(${value}::${type} is null or ${condition(value, placeholders)})`;
        })
        .join('\n  and '),
  };
}

/** SQL of the columns of a row `t`, by property. */
export const columnsOf = <Given extends Properties>(properties: Given) =>
  fromEntries<Record<keyof Given, string>>(
    Object.entries(properties).map(([name, property]) => [name, `t.${columnOf(name, property)}`]),
  );

/** A comparison with the column. @param type of the parameter in SQL */
export const compare = <Schema extends z.ZodType>(
  column: string,
  operator: '=' | '<=' | '>=',
  type: string,
  schema: Schema,
) => ({ schema, type, condition: (value: string) => `${column} ${operator} ${value}` });

/** Part of a text, ignoring case. */
export const contains = (column: string, max: number, description: string, example: string) => ({
  schema: searchText(max).meta({ description, examples: [example] }),
  type: 'text',
  condition: (part: string) => `strpos(${foldedSql(column)}, ${foldedParameter(part)}) > 0`,
});

/** A condition that code sets. */
export const flag = (condition: string) => ({
  type: 'boolean',
  toValue: () => true as const,
  condition: () => condition,
});

/** One of several values, which requests separate by commas. @param type of the parameter in SQL */
export const anyOf = <Schema extends z.ZodType, Value>(
  column: string,
  type: string,
  schema: Schema,
  toValue: (sent: string) => readonly Value[],
) => ({ schema, type, toValue, condition: (values: string) => `${column} = any(${values})` });

/**
 * Integers that requests separate by commas. A number is the list of that number; REST sends text.
 * @param pattern of one integer
 * @param error of a number, by default that of one integer
 */
export const integerList = (
  pattern: string,
  expectation: string,
  { min, max }: { readonly min: number; readonly max: number },
  error?: ReturnType<typeof expected>,
) =>
  z
    .union(
      [listInput(pattern, expectation), integerInput(min, max, error).meta({ format: 'int32' })],
      expected(expectation),
    )
    .transform(String)
    .meta({ listOf: { type: 'integer', format: 'int32', minimum: min, maximum: max } });

/** One or more integers of a small range. @param meaning begins the description */
export function anyInteger(
  column: string,
  type: 'smallint[]' | 'int[]',
  range: { readonly min: number; readonly max: number; readonly description: string },
  meaning: string,
) {
  const values = Array.from({ length: range.max - range.min + 1 }, (_, index) => range.min + index);
  const expectation = expectedList(values.map(String));
  const schema = integerList(`(?:${values.join('|')})`, expectation, range, expected(expectation))
    .meta({ description: `${meaning}, separated by commas: ${range.description}`, examples: [[1, 2]] })
    .register(forModels, { description: range.description });
  return anyOf(column, type, schema, (sent) => values.filter((value) => sent.split(',').map(Number).includes(value)));
}

/** Stands for "no member". */
const NOBODY = 'none';
const EXPECTED_MEMBERS = `uniqueIds of members, or ${NOBODY}, separated by commas`;
/** A hundred uniqueIds with their commas. */
const MAX_MEMBERS_LENGTH = 3700;

/**
 * One or more members, or nobody: the filter `name` has the members, and `none` is true if nobody is among them.
 * @param meaning begins the description
 */
export function anyMember<Name extends string, None extends string>(
  name: Name,
  none: None,
  column: string,
  meaning: string,
) {
  const members = {
    schema: textInput(EXPECTED_MEMBERS, MAX_MEMBERS_LENGTH)
      .refine((text) => text.split(',').every((id) => id === NOBODY || isUniqueId(id)), expected(EXPECTED_MEMBERS))
      .meta({
        description: `${meaning}: uniqueIds separated by commas; \`${NOBODY}\` for nobody`,
        examples: [[NOBODY]],
        listOf: { type: 'string', pattern: `^${NOBODY}$|${UNIQUE_ID_PATTERN.source}`, maxLength: 36 },
      })
      .register(forModels, { description: `Ids from \`member_list\` or \`${NOBODY}\`` }),
    type: 'uuid[]',
    /** The members, each once, in order. */
    toValue: (sent: string) => [...new Set(sent.split(','))].filter((id) => id !== NOBODY).toSorted(),
    condition: (ids: string, placeholders: object) =>
      `${column} = any(${ids}) or ${placeholderOf(placeholders, none)}::boolean and ${column} is null`,
  };
  const nobody = { of: name, type: 'boolean', toValue: (sent: string) => sent.split(',').includes(NOBODY) || null };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a computed name has no type of its own
  return { [name]: members, [none]: nobody } as Record<Name, typeof members> & Record<None, typeof nobody>;
}
