import { z } from 'zod';
import type { oas31 } from 'zod-openapi';
import { MAX_NAME_LENGTH } from '../company/company.ts';
import { MAX_ID, isUniqueId } from '../ids.ts';
import { USER_KINDS } from '../company/user.ts';

declare module 'zod/v4/core' {
  interface GlobalMeta {
    /**
     * Schema of one value of a text with values separated by commas. In the OpenAPI document the text is an array of it: `explode: false`
     * is the same text in a query.
     */
    listOf?: oas31.SchemaObject;
  }
}

// Zod schemas that several resources share. They have no defaults: only create schemas have defaults.

/** Years of calendar dates. PostgreSQL and JavaScript agree on all dates in this range. */
export const DATE_YEARS = { min: 1900, max: 2999 } as const;

/**
 * Descriptions of fields in the tools of MCP, where many tools would repeat a long one of REST; undefined leaves it out. A field
 * keeps it until `meta` gives it another description. A long pattern is left out with `pattern: undefined`.
 */
export const forModels = z.registry<{ description: string | undefined; pattern?: undefined }>();

/** Zod error option: one message for every invalid value of a field, and `required` for a missing one. Unknown fields have their own. */
export const expected = (expectation: string) => ({
  error: ({ code, input }: { code?: string; input?: unknown }) =>
    code === 'unrecognized_keys' ? undefined : input === undefined ? 'required' : `expected ${expectation}`,
});

/** Public ids in the examples of the OpenAPI document. */
export const EXAMPLE_IDS = {
  task: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071',
  vendor: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072',
  key: '019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f50',
  user: '019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51',
  import: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6075',
  webhook: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6076',
  delivery: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6077',
  comment: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6078',
  evidence: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6079',
  proof: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f607a',
  requirement: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f607b',
} as const;

/**
 * Limits a length check to strings and arrays. Zod runs length checks on any value with a `length`, even if the type check
 * failed, and throws if that `length` is an object.
 */
function ofTextOrArray<Check extends z.core.$ZodCheck>(check: Check): Check {
  check._zod.def.when = ({ value }) => typeof value === 'string' || Array.isArray(value);
  return check;
}

/** Replaces Zod's `.min()` for strings and arrays. */
export const minLength = (...args: Parameters<typeof z.minLength>) => ofTextOrArray(z.minLength(...args));

/** Replaces Zod's `.max()` for strings and arrays. */
export const maxLength = (...args: Parameters<typeof z.maxLength>) => ofTextOrArray(z.maxLength(...args));

export const NOT_STORABLE = 'expected well-formed Unicode without NUL';
export const isStorable = (text: string) => text.isWellFormed() && !text.includes('\0');

/**
 * Limits text to `max` UTF-16 code units, and to characters that PostgreSQL can store and JSON can represent.
 * Zod and JSON Schema count code points, so `maxLength` in the document is correct but less strict.
 */
export const boundedText = (base: z.ZodString, expectation: string, max: number) =>
  base
    .check(maxLength(max, { ...expected(expectation), abort: true }))
    .refine((value) => value.length <= max, { error: `expected ${expectation}`, abort: true })
    .refine(isStorable, { error: NOT_STORABLE, abort: true });

/** Text in a query string, for example a cursor. An id in a query string may be malformed. */
export const textInput = (expectation: string, max = 1000) =>
  boundedText(z.string(expected(expectation)), expectation, max);

/** What `valueList` expects, for errors. */
export const expectedList = (values: readonly string[]) => `one or more of ${values.join(', ')}, separated by commas`;

/** Maximum length of text with values separated by commas. */
const MAX_LIST_LENGTH = 1000;

const listPattern = (value: string) => new RegExp(`^${value}(?:,${value})*$`);

/** Values separated by commas. @param value regular expression of one */
export const listInput = (value: string, expectation: string) =>
  textInput(expectation, MAX_LIST_LENGTH).check(z.regex(listPattern(value), expected(expectation)));

/**
 * One or more of some values, separated by commas. The type admits only text that begins with one of them, so that a value with a typing
 * error does not compile. A type of all lists would have too many members.
 * @param values plain words
 */
export function valueList<const Value extends string>(values: readonly Value[]) {
  const error = expected(expectedList(values));
  const pattern = listPattern(`(?:${values.join('|')})`);
  const others = z.union([z.literal(''), z.templateLiteral([',', z.string()])]);
  return z
    .templateLiteral([z.enum(values), others], error)
    .transform(String)
    .check(maxLength(MAX_LIST_LENGTH, error), z.regex(pattern, error))
    .meta({ pattern: pattern.source, maxLength: MAX_LIST_LENGTH, listOf: { type: 'string', enum: [...values] } });
}

const requiredText = (max: number, isTrimmed: boolean) => {
  const expectation = `text of 1 to ${max} characters`;
  const text = z.string(expected(expectation));
  const notEmpty = minLength(1, { ...expected(expectation), abort: true });
  return boundedText((isTrimmed ? text.trim() : text).check(notEmpty), expectation, max);
};

/** Search text of 1 to `max` characters, which is not trimmed. */
export const searchText = (max: number) => requiredText(max, false);

/** Trimmed text of 1 to `max` characters. */
export const trimmedText = (max: number) => requiredText(max, true);

/** Line ends and control characters. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** A character that shows something on its own. U+2800 is the empty pattern of Braille. */
const VISIBLE = /[^\p{C}\p{M}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Returns true for a name that people can see. */
export const isVisible = (name: string): boolean => VISIBLE.test(name);

/** A name or title of 1 to `max` characters. Contract, section 2. */
export const nameOf = (max: number) =>
  trimmedText(max)
    .refine((name) => !CONTROL.test(name), { error: 'expected no line end and no control character', abort: true })
    .refine(isVisible, 'expected a visible character');

/** A name or title. */
export const nameInput = (description: string) => nameOf(MAX_NAME_LENGTH).meta({ description });

/** The name of something that exists. It may be from before names had the rules of `nameInput`. */
export const existingNameInput = (description: string) => trimmedText(MAX_NAME_LENGTH).meta({ description });

/** An integer id in a path. Integers outside the range of ids pass here, and the query returns 404. */
export const pathId = (description: string) =>
  z
    .number(expected('an integer'))
    .refine((value) => Number.isInteger(value) && value >= 0, 'expected an integer')
    .meta({
      description,
      override: ({ jsonSchema }: { jsonSchema: object }) =>
        Object.assign(jsonSchema, { type: 'integer', format: 'int32', minimum: 1, maximum: MAX_ID }),
    });

/** An integer from `min` to `max`. */
export const integerInput = (min: number, max: number, error = expected(`an integer from ${min} to ${max}`)) =>
  z.int(error).min(min, error).max(max, error);

/** An integer id in a body. */
export const bodyId = (description: string) => integerInput(1, MAX_ID).meta({ description, format: 'int32' });

/** A public id in a path. Any text passes here, because malformed ids return 404. */
export const uniqueIdInput = (description: string, example: string) =>
  z.string(expected('text')).meta({ description, format: 'uuid', maxLength: 36, examples: [example] });

/** The uniqueId of an object of a type. */
export const uniqueIdOf = (type: string) =>
  textInput(`the uniqueId of a ${type}`, 36).refine(isUniqueId, expected(`the uniqueId of a ${type}`));

/** The uniqueId of a user. */
export const userIdInput = (description: string) =>
  uniqueIdOf('user').meta({ description, format: 'uuid', examples: [EXAMPLE_IDS.user] });

// Response fields. Bounds and examples are only documented, because input schemas and constraints enforce them.

/** Stored text. @param max in UTF-16 code units */
export const textOutput = (max: number, example: string, description?: string) =>
  z.string().meta({ maxLength: max, examples: [example], ...(description !== undefined && { description }) });

/** A list without pages. Its items are counted in 32 bits. */
export const listOutput = <Item extends z.ZodType>(item: Item) => z.array(item).meta({ maxItems: MAX_ID });

const int32Range = (min: number, max: number) => ({ format: 'int32', minimum: min, maximum: max });

/** An integer id of reference data. */
export const idOutput = z.int().meta({ ...int32Range(1, MAX_ID), description: 'Id, which never changes' });

/** An integer from `min` to `max`. */
export const integerOutput = (min: number, max: number, description: string) =>
  z.int().meta({ ...int32Range(min, max), description });

/** A time of an entity in a response. */
export const isoOrNull = (date: Date | null | undefined) => date?.toISOString() ?? null;

/** A public id in a response. */
export const uniqueIdOutput = z.string().meta({
  format: 'uuid',
  maxLength: 36,
  description: 'Public id, a UUIDv7, which never changes',
  examples: [EXAMPLE_IDS.task],
});

export const timestampOutput = z.string().meta({
  format: 'date-time',
  maxLength: 32,
  description: 'ISO 8601, UTC',
  examples: ['2026-11-21T09:30:00.000Z'],
});

export const ActorOutput = z
  .object({
    uniqueId: uniqueIdOutput.meta({ description: 'Id of the user, a UUIDv7' }),
    name: textOutput(MAX_NAME_LENGTH, 'Ticket sync', 'Name of the person, or of the key'),
    kind: z.enum(USER_KINDS).meta({ description: '`human` for a person, `integration` for an API key' }),
  })
  .meta({
    id: 'Actor',
    description: 'User: a person, or the integration of a key',
    examples: [{ uniqueId: EXAMPLE_IDS.user, name: 'Ticket sync', kind: 'integration' }],
  });

export const createdAtOutput = timestampOutput.meta({ description: 'Time of the creation, in UTC' });

export const changeMetadataOutput = {
  createdAt: createdAtOutput,
  updatedAt: timestampOutput.meta({ description: 'Time of the last change, in UTC' }),
  createdBy: ActorOutput.meta({ description: 'User who created it' }),
  updatedBy: ActorOutput.meta({ description: 'User who made the last change' }),
  version: integerOutput(1, MAX_ID, '1, increased by one with each change'),
};

const EXPECTED_TIMESTAMP = `a timestamp from ${DATE_YEARS.min} to ${DATE_YEARS.max} such as 2027-01-31T12:00:00Z`;

/**
 * Converts a timestamp to UTC, because PostgreSQL rejects some offsets that ISO 8601 allows. Truncates it to microseconds,
 * because PostgreSQL would round it, and a rounded upper bound could be later than the client's.
 */
function toUtc(timestamp: string): string {
  const fraction = /\.\d{1,6}/.exec(timestamp)?.[0] ?? '';
  return `${new Date(timestamp).toISOString().slice(0, 19)}${fraction}Z`;
}

/** A timestamp with a UTC offset. */
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

/** Filter of a list by the time of the last change. */
export const updatedSinceInput = timestampInput.meta({ description: 'First updatedAt, included' });

/** A timestamp in the future, with a UTC offset. */
export const futureTimestampInput = z.iso
  .datetime({ offset: true, ...expected('a timestamp such as 2027-01-31T12:00:00Z') })
  .refine(
    (value) => new Date(value) > new Date() && new Date(value).getUTCFullYear() <= DATE_YEARS.max,
    'expected a timestamp in the future',
  );

export const booleanInput = z.boolean(expected('true or false'));

export const enumInput = <const Value extends string>(values: readonly Value[]) =>
  z.enum(values, expected(`one of ${values.join(', ')}`));

/** Input schema of procedures without input. */
export const noInput = z.strictObject({}).optional();
