import { z } from 'zod';
import { p } from '@mikro-orm/core';
import { foldCase, foldedParameter, foldedSql } from '../fold-case.ts';
import { expected, forModels, maxLength, textOutput, trimmedText } from './schemas.ts';

export const LABEL_LIMITS = { max: 20, maxLength: 50 } as const;

/** Labels of an object. */
export const labelsProperty = () => p.string().array().columnType(`varchar(${LABEL_LIMITS.maxLength})[]`).default([]);

/** Check of a column with labels. */
export const labelsCheck = (column: string) =>
  `cardinality(${column}) <= ${LABEL_LIMITS.max} AND array_position(${column}, NULL::varchar) IS NULL AND ''::text <> ALL (${column}::text[])`;

/** Removes duplicate labels, ignoring case as the filter by label does. The first spelling stays. */
export function dedupeLabels(labels: readonly string[]): string[] {
  const keys = labels.map(foldCase);
  return labels.filter((_, index) => keys.indexOf(keys[index] ?? '') === index);
}

/** Condition in SQL: a column has a label, ignoring case. */
export const hasLabel = (column: string, label: string) =>
  `exists (select from unnest(${column}) one where ${foldedSql('one')} = ${foldedParameter(label)})`;

/** Filter by a label. */
export const labelFilterInput = trimmedText(LABEL_LIMITS.maxLength).meta({
  description: 'A whole label, ignoring case',
  examples: ['access'],
});

/** Field with labels. @param noun plural, for descriptions and errors */
export const labelsField = (noun: string, example: string) => ({
  input: z
    .array(trimmedText(LABEL_LIMITS.maxLength), expected('an array of text'))
    .check(maxLength(LABEL_LIMITS.max, expected(`at most ${LABEL_LIMITS.max} ${noun}`)))
    .overwrite(dedupeLabels)
    .meta({
      description: `Replaces all ${noun}. At most ${LABEL_LIMITS.max}, each trimmed. Duplicates, ignoring case, are dropped; the first spelling stays.`,
    })
    .register(forModels, { description: undefined }),
  output: z
    .array(textOutput(LABEL_LIMITS.maxLength, example))
    .meta({ maxItems: LABEL_LIMITS.max, description: `The ${noun}, each once, ignoring case` }),
});
