import { z } from 'zod';
import { DATE_YEARS } from '../../../entities/schema/values.ts';
import { expected } from '../fields.ts';

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
