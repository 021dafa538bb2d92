import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createSchema } from 'zod-openapi';
import {
  ActorOutput,
  EXAMPLE_IDS,
  bodyId,
  changeMetadataOutput,
  expected,
  futureTimestampInput,
  isoOrNull,
  nameInput,
  noInput,
  pathId,
  searchText,
  textInput,
  timestampInput,
  timestampOutput,
  uniqueIdInput,
  uniqueIdOutput,
} from '../../entities/fields/schemas.ts';
import { parseInput } from '../../procedures/core/errors.ts';
import { MAX_DESCRIPTION_LENGTH, html } from '../../entities/fields/html.ts';

// Valid values and error messages of each field schema.

/** The parsed value, or the messages of all issues. */
const { input: descriptionInput } = html(MAX_DESCRIPTION_LENGTH, { example: 'Text' });
const parseResult = (schema: z.ZodType, input: unknown): unknown => {
  const { data, error } = schema.safeParse(input);
  return error === undefined ? { value: data } : error.issues.map(({ message }) => message);
};
const validResult = (value: unknown) => ({ value });

afterEach(() => void vi.useRealTimers());

test('a missing field is required, and an invalid field has the expectation as its message', () => {
  const schema = z.strictObject({ field: z.string(expected('a text')) });
  expect(parseResult(schema, {})).toEqual(['required']);
  for (const invalid of [null, 1, [], {}]) expect(parseResult(schema, { field: invalid })).toEqual(['expected a text']);
});

describe('text', () => {
  const MALFORMED_TEXT = ['expected well-formed Unicode without NUL'];
  const fields = { text: textInput('a cursor', 5), search: searchText(5), name: nameInput('A name') };

  test.for(['a\0', '\ud800', 'a\udc00b'])('is invalid if PostgreSQL or JSON cannot represent it: %j', (invalid) => {
    for (const field of Object.values(fields)) expect(parseResult(field, invalid)).toEqual(MALFORMED_TEXT);
    expect(parseResult(descriptionInput, invalid)).toEqual(MALFORMED_TEXT);
  });

  test('is limited in UTF-16 code units, with one issue for each invalid value', () => {
    expect(parseResult(fields.text, '12345')).toEqual(validResult('12345'));
    expect(parseResult(fields.text, '')).toEqual(validResult(''));
    expect(parseResult(fields.text, '1234😀')).toEqual(['expected a cursor']);
    for (const invalid of ['123456', '12345\0', '1234😀\0', '😀😀😀', 5]) {
      expect(parseResult(fields.text, invalid)).toEqual(['expected a cursor']);
    }
    expect(parseResult(textInput('a cursor'), 'x'.repeat(1000))).toEqual(validResult('x'.repeat(1000)));
    expect(parseResult(textInput('a cursor'), 'x'.repeat(1001))).toEqual(['expected a cursor']);
  });

  test('for a search is not trimmed and not empty', () => {
    expect(parseResult(fields.search, ' a ')).toEqual(validResult(' a '));
    expect(parseResult(fields.search, ' ')).toEqual(validResult(' '));
    for (const invalid of ['', '123456', 1])
      expect(parseResult(fields.search, invalid)).toEqual(['expected text of 1 to 5 characters']);
    expect(parseResult(fields.search, undefined)).toEqual(['required']);
  });

  test.for([
    '\u200B',
    '\u200E\u200F',
    '\u2060',
    '\u00AD',
    '\u202E\u2069',
    '\u0301',
    '\u20DD',
    '\u2800',
    '\u3164',
    '\uFE0F',
    '\u{E0041}',
    ' \u200B ',
    '\u115F',
  ])('of a name needs a visible character: %j', (invalid) => {
    expect(parseResult(fields.name, invalid)).toEqual(['expected a visible character']);
  });

  test.for(['a\nb', 'a\r\nb', 'a\tb', 'a\u0085b', 'a\u2028b', 'a\u2029b', 'a\u007Fb', 'a\u001Bb', '\u0007'])(
    'of a name has no line end and no control character: %j',
    (invalid) => {
      expect(parseResult(fields.name, invalid)).toEqual(['expected no line end and no control character']);
    },
  );

  test.for(['7', '?', '€', '😀', '👨‍👩‍👧', 'é', 'ก็', 'ნ', '山田', '\u200Fשלום', '🏳️', '1️⃣'])(
    'of a name may be in any script, or be a symbol: %s',
    (name) => {
      expect(parseResult(fields.name, name)).toEqual(validResult(name));
    },
  );

  test('of a name is trimmed, then limited to 1 to 255 code units', () => {
    const issues = ['expected text of 1 to 255 characters'];
    expect(parseResult(fields.name, '\t Acme \n')).toEqual(validResult('Acme'));
    expect(parseResult(fields.name, `  ${'x'.repeat(255)}  `)).toEqual(validResult('x'.repeat(255)));
    for (const invalid of ['', '  ', 'x'.repeat(256), `${'x'.repeat(254)}😀`, null])
      expect(parseResult(fields.name, invalid)).toEqual(issues);
    expect(parseResult(fields.name, undefined)).toEqual(['required']);
  });

  test('of a description is sanitized, and its length is limited before and after', () => {
    const maxLength = 20_000;
    expect(parseResult(descriptionInput, '')).toEqual(validResult(''));
    expect(parseResult(descriptionInput, '<p onclick="x()">Kept<script>1</script></p>')).toEqual(
      validResult('<p>Kept</p>'),
    );
    expect(parseResult(descriptionInput, 'x'.repeat(maxLength))).toEqual(validResult('x'.repeat(maxLength)));
    for (const invalid of ['x'.repeat(maxLength + 1), `${'x'.repeat(maxLength - 1)}😀`, 1, null]) {
      expect(parseResult(descriptionInput, invalid)).toEqual(['expected text of at most 20000 characters']);
    }
    expect(parseResult(descriptionInput, undefined)).toEqual(['required']);
    const growing = `<b>${'"&'.repeat((maxLength - 4) / 2)}`; // each & becomes &amp;
    expect(parseResult(descriptionInput, growing)).toEqual([
      'expected text of at most 20000 characters, also after its HTML is sanitized',
    ]);
    expect(parseResult(descriptionInput, `<b>${'x'.repeat(maxLength - 7)}`)).toEqual(
      validResult(`<b>${'x'.repeat(maxLength - 7)}</b>`),
    );
  });
});

describe('an id', () => {
  test('in a path may be outside the range of ids, because the query returns 404', () => {
    for (const id of [0, 1, 2_147_483_648, Number.MAX_SAFE_INTEGER])
      expect(parseResult(pathId('x'), id)).toEqual(validResult(id));
    for (const invalid of [-1, 1.5, '1', null, Infinity, NaN])
      expect(parseResult(pathId('x'), invalid)).toEqual(['expected an integer']);
    expect(parseResult(pathId('x'), undefined)).toEqual(['required']);
  });

  test('in a body must be in the range of ids', () => {
    for (const id of [1, 2_147_483_647]) expect(parseResult(bodyId('x'), id)).toEqual(validResult(id));
    for (const invalid of [0, -1, 1.5, 2_147_483_648, '1', null]) {
      expect(parseResult(bodyId('x'), invalid)).toEqual(['expected an integer from 1 to 2147483647']);
    }
    expect(parseResult(bodyId('x'), undefined)).toEqual(['required']);
  });

  test('that is public may be any text in a path', () => {
    for (const id of ['', 'x', 'x'.repeat(100)])
      expect(parseResult(uniqueIdInput('x', EXAMPLE_IDS.key), id)).toEqual(validResult(id));
    expect(parseResult(uniqueIdInput('x', EXAMPLE_IDS.key), 1)).toEqual(['expected text']);
    expect(parseResult(uniqueIdInput('x', EXAMPLE_IDS.key), undefined)).toEqual(['required']);
  });
});

describe('a timestamp', () => {
  const EXPECTED = ['expected a timestamp from 1900 to 2999 such as 2027-01-31T12:00:00Z'];

  test.for([
    ['2026-06-30T12:00:00Z', '2026-06-30T12:00:00Z'],
    ['2026-06-30T12:00:00+02:00', '2026-06-30T10:00:00Z'],
    ['2026-06-30T12:00:00-23:59', '2026-07-01T11:59:00Z'],
    ['2026-06-30T12:00:00.5Z', '2026-06-30T12:00:00.5Z'],
    ['2026-06-30T12:00:00.123456Z', '2026-06-30T12:00:00.123456Z'],
    ['2026-06-30T12:00:00.9999999999Z', '2026-06-30T12:00:00.999999Z'],
    ['1900-01-01T00:00:00Z', '1900-01-01T00:00:00Z'],
    ['2999-12-31T23:59:59.999999Z', '2999-12-31T23:59:59.999999Z'],
  ])('is converted to UTC: %s', ([input, utc]) => expect(parseResult(timestampInput, input)).toEqual(validResult(utc)));

  test.for([
    '',
    'now',
    '2026-06-30',
    '2026-06-30T12:00:00',
    '2026-06-30T12:00Z',
    '2026-02-30T12:00:00Z',
    '1899-12-31T23:59:59Z',
    '3000-01-01T00:00:00Z',
    `2026-06-30T12:00:00.${'0'.repeat(20)}Z`,
    `1899-06-30T12:00:00.${'0'.repeat(20)}Z`,
    1_800_000_000,
    null,
  ])('is rejected with one issue: %s', (invalid) => expect(parseResult(timestampInput, invalid)).toEqual(EXPECTED));

  test('has at most 40 characters', () => {
    const withFraction = (zeros: number) => `2026-06-30T12:00:00.${'0'.repeat(zeros)}Z`;
    expect(withFraction(19)).toHaveLength(40);
    expect(parseResult(timestampInput, withFraction(19))).toEqual(validResult('2026-06-30T12:00:00.000000Z'));
    expect(parseResult(timestampInput, undefined)).toEqual(['required']);
  });

  test('in the future must be later than now and not after the year 2999', () => {
    vi.useFakeTimers({ now: new Date('2026-11-21T12:00:00Z'), toFake: ['Date'] });
    const EXPECTED_FUTURE = ['expected a timestamp in the future'];
    expect(parseResult(futureTimestampInput, '2026-11-21T12:00:00.001Z')).toEqual(
      validResult('2026-11-21T12:00:00.001Z'),
    );
    expect(parseResult(futureTimestampInput, '2026-11-21T13:30:00+01:00')).toEqual(
      validResult('2026-11-21T13:30:00+01:00'),
    );
    expect(parseResult(futureTimestampInput, '2999-12-31T23:59:59Z')).toEqual(validResult('2999-12-31T23:59:59Z'));
    for (const invalid of ['2026-11-21T12:00:00Z', '2026-11-21T12:30:00+01:00', '3000-01-01T00:00:00Z']) {
      expect(parseResult(futureTimestampInput, invalid)).toEqual(EXPECTED_FUTURE);
    }
    expect(parseResult(futureTimestampInput, 'tomorrow')).toContain(
      'expected a timestamp such as 2027-01-31T12:00:00Z',
    );
    expect(parseResult(futureTimestampInput, undefined)).toEqual(['required']);
  });

  test('in a response is ISO 8601 in UTC, or null', () => {
    const noon = new Date('2026-11-21T12:00:00Z');
    expect([isoOrNull(noon), isoOrNull(null), isoOrNull(undefined)]).toEqual(['2026-11-21T12:00:00.000Z', null, null]);
  });
});

test('a procedure without input rejects every field', () => {
  expect(parseResult(noInput, undefined)).toEqual(validResult(undefined));
  expect(parseResult(noInput, {})).toEqual(validResult({}));
  expect(() => parseInput(noInput, { company: 8 })).toThrow('company: unknown field');
});

describe('the OpenAPI document', () => {
  const documented = (schema: z.ZodType, io: 'input' | 'output' = 'input') => createSchema(schema, { io }).schema;

  test('contains the bounds of input fields', () => {
    expect(documented(textInput('a cursor', 5))).toEqual({ type: 'string', maxLength: 5 });
    expect(documented(searchText(5))).toEqual({ type: 'string', minLength: 1, maxLength: 5 });
    expect(documented(nameInput('A name'))).toEqual({
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description: 'A name',
    });
    const id = { type: 'integer', format: 'int32', minimum: 1, maximum: 2_147_483_647, description: 'An id' };
    expect(documented(pathId('An id'))).toEqual(id);
    expect(documented(bodyId('An id'))).toEqual(id);
    expect(documented(uniqueIdInput('An id', EXAMPLE_IDS.key))).toEqual({
      type: 'string',
      description: 'An id',
      format: 'uuid',
      maxLength: 36,
      examples: [EXAMPLE_IDS.key],
    });
    expect(documented(descriptionInput)).toMatchObject({
      maxLength: 20_000,
      description: expect.stringMatching(/HTML.+removed\./),
    });
    expect(documented(timestampInput)).toEqual({
      type: 'string',
      format: 'date-time',
      maxLength: 40,
      examples: ['2026-06-30T12:00:00Z'],
    });
  });

  test('describes response fields', () => {
    expect(documented(uniqueIdOutput)).toEqual({
      type: 'string',
      format: 'uuid',
      maxLength: 36,
      description: expect.stringContaining('UUIDv7'),
      examples: [EXAMPLE_IDS.task],
    });
    const timestamp = {
      type: 'string',
      format: 'date-time',
      maxLength: 32,
      description: expect.stringContaining('UTC'),
    };
    expect(documented(timestampOutput)).toEqual({ ...timestamp, examples: [expect.stringMatching(/^\d{4}-.+T.+Z$/)] });
    expect(documented(z.object(changeMetadataOutput))).toMatchObject({
      properties: {
        createdAt: timestamp,
        updatedAt: timestamp,
        createdBy: { $ref: '#/components/schemas/Actor' },
        updatedBy: { $ref: '#/components/schemas/Actor' },
        version: { minimum: 1, maximum: 2_147_483_647, description: expect.stringContaining('increased by one') },
      },
      required: ['createdAt', 'updatedAt', 'createdBy', 'updatedBy', 'version'],
    });
    const { components } = createSchema(ActorOutput);
    expect(components['Actor']).toMatchObject({
      properties: { name: { maxLength: 255, examples: ['Ticket sync'] }, kind: { enum: ['human', 'integration'] } },
      description: expect.stringContaining('User'),
      examples: [expect.objectContaining({ uniqueId: expect.stringMatching(/^019a/), name: 'Ticket sync' })],
    });
  });

  test.for([uniqueIdOutput, timestampOutput, timestampInput, ActorOutput])('has valid examples: %#', (schema) => {
    const { examples = [] } = z.globalRegistry.get(schema) ?? {};
    expect(examples).toHaveLength(1);
    for (const example of examples as unknown[]) expect(schema.safeParse(example).success).toBe(true);
  });
});
