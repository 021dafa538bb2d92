import { p } from '@mikro-orm/core';
import { z } from 'zod';
import { describeInput, examplesOf, field } from './kind.ts';
import type { Column, Texts } from './kind.ts';
import { DATE_YEARS, booleanInput, enumInput, expected, integerInput, integerOutput, valueList } from './schemas.ts';

interface Range {
  readonly min: number;
  readonly max: number;
}

/** An integer from `min` to `max`. */
export const integer = ({ min, max }: Range, texts: Texts<number>, property = p.integer()) =>
  field({
    property,
    input: describeInput(integerInput(min, max), texts, { format: 'int32' }),
    output: integerOutput(min, max, texts.description).meta(examplesOf(texts)),
    personal: 'none',
    check: { suffix: '', condition: (name) => `${name} >= ${min} AND ${name} <= ${max}` },
  });

/** The same in two bytes. */
export const smallint = (range: Range, texts: Texts<number>) => integer(range, texts, p.smallint());

/** True or false. */
export const boolean = (texts: Texts<boolean>) =>
  field({
    property: p.boolean(),
    input: describeInput(booleanInput, texts),
    output: booleanInput.meta({ description: texts.description, ...examplesOf(texts) }),
    personal: 'none',
  });

/** One of some words. The ORM adds the check of the table. */
export const oneOf = <const Value extends string>(values: readonly Value[], texts: Texts<Value>) =>
  field({
    property: p.enum(values),
    input: describeInput(enumInput(values), texts),
    output: enumInput(values).meta({ description: texts.description, ...examplesOf(texts) }),
    personal: 'none',
    filter: valueList(values).meta({ description: texts.description }),
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

/** A calendar date. The document has the texts of one that may be null behind its default. */
export const date = (texts: Texts<string>) => {
  const schemasOf = <Schema extends z.ZodType>(schema: Schema) => ({
    input: describeInput(schema, texts),
    output: schema.meta({ description: texts.description, ...examplesOf(texts) }),
  });
  return field(
    {
      property: p.date(),
      ...schemasOf(calendarDate),
      personal: 'none',
      check: {
        suffix: '',
        condition: (name) =>
          `${name} >= '${DATE_YEARS.min}-01-01'::date AND ${name} <= '${DATE_YEARS.max}-12-31'::date`,
      },
    },
    () => schemasOf(calendarDate.nullable()),
  );
};

/** A value that is stored as JSON, with its schemas. */
export const json = <Input extends z.ZodType, Output extends z.ZodType>(
  input: Input,
  output: Output,
  { personal, check }: Omit<Column, 'property'>,
) => field({ property: p.json<z.output<Input>>(), input, output, personal, check });
