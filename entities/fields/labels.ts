import { p } from '@mikro-orm/core';
import { z } from 'zod';
import { foldCase, foldedParameter, foldedSql } from '../fold-case.ts';
import { describeInput, field } from './kind.ts';
import { expected, maxLength, textOutput, trimmedText } from './schemas.ts';

export const LABEL_LIMITS = { max: 20, maxLength: 50 } as const;

/** Removes duplicate labels, ignoring case as the filter by label does. The first spelling stays. */
export function dedupeLabels(given: readonly string[]): string[] {
  const keys = given.map(foldCase);
  return given.filter((_, index) => keys.indexOf(keys[index] ?? '') === index);
}

/** Filter of a list by a label. */
export const hasLabel = (column: string) => ({
  schema: trimmedText(LABEL_LIMITS.maxLength).meta({
    description: 'A whole label, ignoring case',
    examples: ['access'],
  }),
  type: 'text',
  condition: (label: string) =>
    `exists (select from unnest(${column}) one where ${foldedSql('one')} = ${foldedParameter(label)})`,
});

/** Labels of an object. @param noun plural, for descriptions and errors */
export const labels = (noun: string, example: string) => {
  const input = z
    .array(trimmedText(LABEL_LIMITS.maxLength), expected('an array of text'))
    .check(maxLength(LABEL_LIMITS.max, expected(`at most ${LABEL_LIMITS.max} ${noun}`)))
    .overwrite(dedupeLabels);
  return field({
    property: p.string().array().columnType(`varchar(${LABEL_LIMITS.maxLength})[]`).default([]),
    input: describeInput(input, {
      description: `Replaces all ${noun}. At most ${LABEL_LIMITS.max}, each trimmed. Duplicates, ignoring case, are dropped; the first spelling is kept.`,
      forModels: null,
    }),
    output: z
      .array(textOutput(LABEL_LIMITS.maxLength, example))
      .meta({ maxItems: LABEL_LIMITS.max, description: `The ${noun}, each once, ignoring case` }),
    personal: 'content',
    written: 'list',
    check: {
      suffix: '',
      condition: (column) =>
        `cardinality(${column}) <= ${LABEL_LIMITS.max} AND array_position(${column}, NULL::varchar) IS NULL AND ''::text <> ALL (${column}::text[])`,
    },
  });
};
