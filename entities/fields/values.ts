import { p } from '@mikro-orm/core';
import { z } from 'zod';
import { describeInput, examplesOf, field, labelOf } from './kind.ts';
import type { Column, Texts } from './kind.ts';
import { DATE_YEARS, booleanInput, enumInput, expected, integerInput, integerOutput, valueList } from './schemas.ts';

interface IntegerTexts extends Texts<number> {
  readonly min: number;
  readonly max: number;
  /** Words for the values, from `min` on. */
  readonly words?: readonly string[];
}

/** An integer from `min` to `max`. */
export const integer = ({ min, max, words, ...texts }: IntegerTexts, property = p.integer()) =>
  field({
    property,
    input: describeInput(integerInput(min, max), texts, { format: 'int32' }),
    output: integerOutput(min, max, texts.description).meta(examplesOf(texts)),
    personal: 'none',
    check: { suffix: '', condition: (column) => `${column} >= ${min} AND ${column} <= ${max}` },
    words: words?.map((word, index) => [min + index, word]),
  });

/** The same integer, stored in two bytes. */
export const smallint = (texts: Parameters<typeof integer>[0]) => integer(texts, p.smallint());

/** The same schema in requests and responses, with the texts of each. */
const schemasOf = <Schema extends z.ZodType>(schema: Schema, texts: Texts) => ({
  input: describeInput(schema, texts),
  output: schema.meta({ description: texts.description, ...examplesOf(texts) }),
});

/** True or false. */
export const boolean = (texts: Texts<boolean>) =>
  field({ property: p.boolean(), ...schemasOf(booleanInput, texts), personal: 'none', written: 'boolean' });

/** One of some words. The ORM adds the check of the table. */
export const oneOf = <const Value extends string>(values: readonly Value[], texts: Texts<Value>) =>
  field({
    property: p.enum(values),
    ...schemasOf(enumInput(values), texts),
    personal: 'none',
    words: values.map((value) => [value, labelOf(value.replaceAll('_', ' '))]),
    filter: valueList(values).meta({ description: texts.description, examples: [values.slice(0, 1)] }),
  });

const EXPECTED_DATE = `a calendar date YYYY-MM-DD from ${DATE_YEARS.min} to ${DATE_YEARS.max}`;

/** Schema of a calendar date. */
export const calendarDate = z.iso
  .date(expected(EXPECTED_DATE))
  .refine(
    (text) => Number(text.slice(0, 4)) >= DATE_YEARS.min && Number(text.slice(0, 4)) <= DATE_YEARS.max,
    `expected ${EXPECTED_DATE}`,
  )
  .meta({
    maxLength: 10,
    examples: ['2026-12-31'],
    override: ({ jsonSchema }: { jsonSchema: { pattern?: string } }) => void delete jsonSchema.pattern,
  });

const isInRange = (column: string) =>
  `${column} >= '${DATE_YEARS.min}-01-01'::date AND ${column} <= '${DATE_YEARS.max}-12-31'::date`;

/** A calendar date. For a date that may be null, the document has the texts after its default. */
export const date = (texts: Texts<string>) =>
  field(
    {
      property: p.date(),
      ...schemasOf(calendarDate, texts),
      personal: 'none',
      check: { suffix: '', condition: isInRange },
      written: 'date',
    },
    () => schemasOf(calendarDate.nullable(), texts),
  );

/** A value that is stored as JSON, with its schemas. */
export const json = <Input extends z.ZodType, Output extends z.ZodType>(
  input: Input,
  output: Output,
  { personal, check }: Omit<Column, 'property'>,
) => field({ property: p.json<z.output<Input>>(), input, output, personal, check });
