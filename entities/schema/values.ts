import { p } from '@mikro-orm/core';
import { foldCase, foldedParameter, foldedSql } from '../fold-case.ts';

/** Years of calendar dates. PostgreSQL and JavaScript agree on all dates in this range. */
export const DATE_YEARS = { min: 1900, max: 2999 } as const;

/** Check of a column with a calendar date. */
export const dateRangeCheck = (column: string) =>
  `${column} >= '${DATE_YEARS.min}-01-01'::date AND ${column} <= '${DATE_YEARS.max}-12-31'::date`;

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
