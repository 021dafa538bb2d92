import { z } from 'zod';
import { NAME_LENGTH } from '../entities/company.ts';
import { MAX_ID } from '../entities/ids.ts';
import { YEARS } from '../entities/task.ts';
import { USER_KINDS } from '../entities/user.ts';
import { DESCRIPTION_LENGTH } from '../entities/vendor.ts';
import { givenCount, givenText } from './answer-shapes.ts';
import { sanitise } from './html.ts';

// Zod shapes that several resources share. None carries a default: those belong to create schemas alone.

/** One message for whatever is wrong with a field, and `required` where it is missing. */
export const expects = (what: string) => ({
  error: (issue: { input?: unknown }) => (issue.input === undefined ? 'required' : `expected ${what}`),
});

/** Public ids of those whom the document's examples are about. */
export const EXAMPLE = {
  task: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071',
  vendor: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072',
  key: '019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f50',
  user: '019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51',
} as const;

/** No parameter of a query is longer, but for a cursor. */
const QUERY_LENGTH = 1000;

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
const carried = (base: z.ZodString, expected: string, most: number) =>
  base
    .check(maxLength(most, { ...expects(expected), abort: true }))
    .refine((value) => value.length <= most, { error: `expected ${expected}`, abort: true })
    .refine((value) => value.isWellFormed() && !value.includes('\0'), 'expected well-formed Unicode without NUL');

/** Text of a query: a cursor, an id that may be none. */
export const text = (expected: string, most = QUERY_LENGTH) => carried(z.string(expects(expected)), expected, most);

/** Text to look for, taken as it is: of 1 to `most` characters. */
export const sought = (most: number) => {
  const expected = `text of 1 to ${most} characters`;
  return carried(z.string(expects(expected)).check(minLength(1, expects(expected))), expected, most);
};

/** Text without the white space around it, of 1 to `most` characters. */
export const trimmed = (most: number) => {
  const expected = `text of 1 to ${most} characters`;
  return carried(
    z
      .string(expects(expected))
      .trim()
      .check(minLength(1, expects(expected))),
    expected,
    most,
  );
};

/** A name or title. */
export const name = (what: string) => trimmed(NAME_LENGTH).meta({ description: what });

const DESCRIPTION = `text of at most ${DESCRIPTION_LENGTH} characters`;

/** Text that may contain HTML, of which formatting, links and tables are kept. */
export const description = carried(z.string(expects(DESCRIPTION)), DESCRIPTION, DESCRIPTION_LENGTH)
  .overwrite(sanitise)
  .refine((value) => value.length <= DESCRIPTION_LENGTH, `expected ${DESCRIPTION}, also once its HTML is sanitised`)
  .meta({
    description:
      'Text without a `<` stays as it is; any other is HTML, of which formatting, links, lists and tables are kept, and scripts, styles and images are not.',
  });

/** An integer id in a path. Digits that can be no id pass here and are not found. */
export const pathId = (what: string) =>
  z
    .number(expects('an integer'))
    .refine((value) => Number.isInteger(value) && value >= 0, 'expected an integer')
    .meta({
      description: what,
      override: ({ jsonSchema }: { jsonSchema: object }) =>
        Object.assign(jsonSchema, { type: 'integer', format: 'int32', minimum: 1, maximum: MAX_ID }),
    });

/** An integer id in a body. */
export const bodyId = (what: string) => {
  const expected = `an integer from 1 to ${MAX_ID}`;
  return z
    .int(expects(expected))
    .min(1, expects(expected))
    .max(MAX_ID, expects(expected))
    .meta({ description: what, format: 'int32' });
};

/** A public id in a path: any text, as what is none is not found. */
export const uniqueId = (what: string, example: string) =>
  z.string(expects('text')).meta({ description: what, maxLength: 36, examples: [example] });

/** A public id in an answer. */
export const givenUniqueId = z.string().meta({
  format: 'uuid',
  maxLength: 36,
  description: 'UUIDv7',
  examples: [EXAMPLE.task],
});

export const moment = z.string().meta({
  format: 'date-time',
  maxLength: 32,
  description: 'ISO 8601, UTC',
  examples: ['2026-11-21T09:30:00.000Z'],
});

export const ActorObject = z
  .object({ uniqueId: givenUniqueId, name: givenText(NAME_LENGTH, 'Ticket sync'), kind: z.enum(USER_KINDS) })
  .meta({
    id: 'Actor',
    description: 'The user it is attributed to',
    examples: [{ uniqueId: EXAMPLE.user, name: 'Ticket sync', kind: 'integration' }],
  });

export const stamps = {
  createdAt: moment,
  updatedAt: moment,
  createdBy: ActorObject,
  updatedBy: ActorObject,
  version: givenCount(1, MAX_ID, '1, then one more for each change'),
};

const A_MOMENT = `a moment from ${YEARS.first} to ${YEARS.last} such as 2027-01-31T12:00:00Z`;

/**
 * The same moment in UTC: PostgreSQL takes not every offset that ISO 8601 does. Digits beyond the microsecond, which it
 * would round, are cut off, so that a bound never passes the moment that was given.
 */
function inUtc(given: string): string {
  const fraction = /\.\d{1,6}/.exec(given)?.[0] ?? '';
  return `${new Date(given).toISOString().slice(0, 19)}${fraction}Z`;
}

/** Any moment, with its offset from UTC. */
export const givenMoment = z.iso
  .datetime({ offset: true, abort: true, ...expects(A_MOMENT) })
  .check(maxLength(40, { ...expects(A_MOMENT), abort: true }))
  .refine((value) => Number(value.slice(0, 4)) >= YEARS.first && Number(value.slice(0, 4)) <= YEARS.last, {
    error: `expected ${A_MOMENT}`,
    abort: true,
  })
  .overwrite(inUtc)
  .meta({
    examples: ['2026-06-30T12:00:00Z'],
    override: ({ jsonSchema }: { jsonSchema: { pattern?: string } }) => void delete jsonSchema.pattern,
  });

/** A moment to come, with its offset from UTC. */
export const futureMoment = z.iso
  .datetime({ offset: true, ...expects('a moment such as 2027-01-31T12:00:00Z') })
  .refine(
    (value) => new Date(value) > new Date() && new Date(value).getUTCFullYear() <= YEARS.last,
    'expected a moment in the future',
  );

export const isoOrNull = (date: Date | null | undefined) => date?.toISOString() ?? null;

/** The input of what takes none. */
export const nothing = z.strictObject({}).optional();
