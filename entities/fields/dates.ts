import { z } from 'zod';
import { DATE_YEARS, expected } from './schemas.ts';

const EXPECTED_DATE = `a calendar date YYYY-MM-DD from ${DATE_YEARS.min} to ${DATE_YEARS.max}`;

/** A calendar date. */
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

export const nullableDate = calendarDate.nullable();

/** Check of a column with a calendar date. */
export const dateRangeCheck = (column: string) =>
  `${column} >= '${DATE_YEARS.min}-01-01'::date AND ${column} <= '${DATE_YEARS.max}-12-31'::date`;
