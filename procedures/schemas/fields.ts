import { z } from 'zod';
import { MAX_NAME_LENGTH } from '../../entities/company.ts';
import { MAX_ID } from '../../entities/ids.ts';
import { DATE_YEARS } from '../../entities/task.ts';
import { USER_KINDS } from '../../entities/user.ts';
import { MAX_DESCRIPTION_LENGTH } from '../../entities/vendor.ts';
import { integerOutput, textOutput } from './output.ts';
import { sanitizeHtml } from './sanitize-html.ts';

// Zod shapes that several resources share. None carries a default: those belong to create schemas alone.

/** One message for whatever is wrong with a field, and `required` where it is missing. */
export const expected = (expectation: string) => ({
  error: (issue: { input?: unknown }) => (issue.input === undefined ? 'required' : `expected ${expectation}`),
});

/** Public ids of those whom the document's examples are about. */
export const EXAMPLE_IDS = {
  task: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071',
  vendor: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072',
  key: '019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f50',
  user: '019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51',
} as const;

/** No parameter of a query is longer, but for a cursor. */
const MAX_QUERY_TEXT_LENGTH = 1000;

/**
 * Runs a length check on text and arrays only. Zod runs it on every value with a `length`, even after the type check failed, and
 * throws if that length is an object.
 */
function ofTextOrArray<Check extends z.core.$ZodCheck>(check: Check): Check {
  check._zod.def.when = ({ value }) => typeof value === 'string' || Array.isArray(value);
  return check;
}

/** In place of Zod's `.min()` for text and arrays. */
export const minLength = (...of: Parameters<typeof z.minLength>) => ofTextOrArray(z.minLength(...of));

/** In place of Zod's `.max()` for text and arrays. */
export const maxLength = (...of: Parameters<typeof z.maxLength>) => ofTextOrArray(z.maxLength(...of));

/**
 * Holds text to what PostgreSQL can store and JSON can carry, and to `most` UTF-16 units. Zod and JSON Schema count
 * code points, which are never more: the document's bound is right, if not the whole of it.
 */
const boundedText = (base: z.ZodString, expectation: string, max: number) =>
  base
    .check(maxLength(max, { ...expected(expectation), abort: true }))
    .refine((value) => value.length <= max, { error: `expected ${expectation}`, abort: true })
    .refine((value) => value.isWellFormed() && !value.includes('\0'), 'expected well-formed Unicode without NUL');

/** Text of a query: a cursor, an id that may be none. */
export const textInput = (expectation: string, max = MAX_QUERY_TEXT_LENGTH) =>
  boundedText(z.string(expected(expectation)), expectation, max);

/** Text to look for, taken as it is: of 1 to `most` characters. */
export const searchText = (max: number) => {
  const expectation = `text of 1 to ${max} characters`;
  return boundedText(z.string(expected(expectation)).check(minLength(1, expected(expectation))), expectation, max);
};

/** Text without the white space around it, of 1 to `most` characters. */
export const trimmedText = (max: number) => {
  const expectation = `text of 1 to ${max} characters`;
  return boundedText(
    z
      .string(expected(expectation))
      .trim()
      .check(minLength(1, expected(expectation))),
    expectation,
    max,
  );
};

/** A name or title. */
export const nameInput = (description: string) => trimmedText(MAX_NAME_LENGTH).meta({ description });

const EXPECTED_DESCRIPTION = `text of at most ${MAX_DESCRIPTION_LENGTH} characters`;

/** Text that may contain HTML, of which formatting, links and tables are kept. */
export const descriptionInput = boundedText(
  z.string(expected(EXPECTED_DESCRIPTION)),
  EXPECTED_DESCRIPTION,
  MAX_DESCRIPTION_LENGTH,
)
  .overwrite(sanitizeHtml)
  .refine(
    (value) => value.length <= MAX_DESCRIPTION_LENGTH,
    `expected ${EXPECTED_DESCRIPTION}, also once its HTML is sanitised`,
  )
  .meta({
    description:
      'Text without a `<` stays as it is; any other is HTML, of which formatting, links, lists and tables are kept, and scripts, styles and images are not.',
  });

/** An integer id in a path. Digits that can be no id pass here and are not found. */
export const pathId = (description: string) =>
  z
    .number(expected('an integer'))
    .refine((value) => Number.isInteger(value) && value >= 0, 'expected an integer')
    .meta({
      description,
      override: ({ jsonSchema }: { jsonSchema: object }) =>
        Object.assign(jsonSchema, { type: 'integer', format: 'int32', minimum: 1, maximum: MAX_ID }),
    });

/** An integer id in a body. */
export const bodyId = (description: string) => {
  const expectation = `an integer from 1 to ${MAX_ID}`;
  return z
    .int(expected(expectation))
    .min(1, expected(expectation))
    .max(MAX_ID, expected(expectation))
    .meta({ description, format: 'int32' });
};

/** A public id in a path: any text, as what is none is not found. */
export const uniqueIdInput = (description: string, example: string) =>
  z.string(expected('text')).meta({ description, maxLength: 36, examples: [example] });

/** A public id in an answer. */
export const uniqueIdOutput = z.string().meta({
  format: 'uuid',
  maxLength: 36,
  description: 'UUIDv7',
  examples: [EXAMPLE_IDS.task],
});

export const timestampOutput = z.string().meta({
  format: 'date-time',
  maxLength: 32,
  description: 'ISO 8601, UTC',
  examples: ['2026-11-21T09:30:00.000Z'],
});

export const ActorOutput = z
  .object({ uniqueId: uniqueIdOutput, name: textOutput(MAX_NAME_LENGTH, 'Ticket sync'), kind: z.enum(USER_KINDS) })
  .meta({
    id: 'Actor',
    description: 'The user it is attributed to',
    examples: [{ uniqueId: EXAMPLE_IDS.user, name: 'Ticket sync', kind: 'integration' }],
  });

export const changeMetadataOutput = {
  createdAt: timestampOutput,
  updatedAt: timestampOutput,
  createdBy: ActorOutput,
  updatedBy: ActorOutput,
  version: integerOutput(1, MAX_ID, '1, then one more for each change'),
};

const EXPECTED_TIMESTAMP = `a moment from ${DATE_YEARS.min} to ${DATE_YEARS.max} such as 2027-01-31T12:00:00Z`;

/**
 * The same moment in UTC: PostgreSQL takes not every offset that ISO 8601 does. Digits beyond the microsecond, which it
 * would round, are cut off, so that a bound never passes the moment that was given.
 */
function toUtc(timestamp: string): string {
  const fraction = /\.\d{1,6}/.exec(timestamp)?.[0] ?? '';
  return `${new Date(timestamp).toISOString().slice(0, 19)}${fraction}Z`;
}

/** Any moment, with its offset from UTC. */
export const timestampInput = z.iso
  .datetime({ offset: true, abort: true, ...expected(EXPECTED_TIMESTAMP) })
  .check(maxLength(40, { ...expected(EXPECTED_TIMESTAMP), abort: true }))
  .refine((value) => Number(value.slice(0, 4)) >= DATE_YEARS.min && Number(value.slice(0, 4)) <= DATE_YEARS.max, {
    error: `expected ${EXPECTED_TIMESTAMP}`,
    abort: true,
  })
  .overwrite(toUtc)
  .meta({
    examples: ['2026-06-30T12:00:00Z'],
    override: ({ jsonSchema }: { jsonSchema: { pattern?: string } }) => void delete jsonSchema.pattern,
  });

/** A moment to come, with its offset from UTC. */
export const futureTimestampInput = z.iso
  .datetime({ offset: true, ...expected('a moment such as 2027-01-31T12:00:00Z') })
  .refine(
    (value) => new Date(value) > new Date() && new Date(value).getUTCFullYear() <= DATE_YEARS.max,
    'expected a moment in the future',
  );

export const isoOrNull = (date: Date | null | undefined) => date?.toISOString() ?? null;

/** The input of what takes none. */
export const noInput = z.strictObject({}).optional();
