import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createSchema } from 'zod-openapi';
import {
  EXAMPLE_IDS,
  ActorOutput,
  bodyId,
  descriptionInput,
  expected,
  futureTimestampInput,
  timestampInput,
  uniqueIdOutput,
  isoOrNull,
  timestampOutput,
  nameInput,
  noInput,
  pathId,
  searchText,
  changeMetadataOutput,
  textInput,
  uniqueIdInput,
} from '../../procedures/schemas/fields.ts';

// What each field takes, and what is said of what it does not; without the service around it.

/** What comes of an input: its value, or what is wrong with it. */
const parseResult = (schema: z.ZodType, input: unknown): unknown => {
  const { data, error } = schema.safeParse(input);
  return error === undefined ? { value: data } : error.issues.map(({ message }) => message);
};
const validResult = (data: unknown) => ({ value: data });

afterEach(() => void vi.useRealTimers());

test('what is missing is required, and what is wrong was expected otherwise', () => {
  const schema = z.strictObject({ field: z.string(expected('a text')) });
  expect(parseResult(schema, {})).toEqual(['required']);
  for (const wrong of [null, 1, [], {}]) expect(parseResult(schema, { field: wrong })).toEqual(['expected a text']);
});

describe('text', () => {
  const UNWELL = ['expected well-formed Unicode without NUL'];
  const fields = { text: textInput('a cursor', 5), sought: searchText(5), trimmed: nameInput('A name') };

  test.for(['a\0', '\ud800', 'a\udc00b'])('that PostgreSQL or JSON cannot carry is none: %j', (wrong) => {
    for (const field of Object.values(fields)) expect(parseResult(field, wrong)).toEqual(UNWELL);
    expect(parseResult(descriptionInput, wrong)).toEqual(UNWELL);
  });

  test('is held to its length in UTF-16 units, and each fault is told once', () => {
    expect(parseResult(fields.text, '12345')).toEqual(validResult('12345'));
    expect(parseResult(fields.text, '')).toEqual(validResult(''));
    expect(parseResult(fields.text, '1234😀')).toEqual(['expected a cursor']);
    for (const wrong of ['123456', '12345\0', '1234😀\0', '😀😀😀', 5]) {
      expect(parseResult(fields.text, wrong)).toEqual(['expected a cursor']);
    }
    expect(parseResult(textInput('a cursor'), 'x'.repeat(1000))).toEqual(validResult('x'.repeat(1000)));
    expect(parseResult(textInput('a cursor'), 'x'.repeat(1001))).toEqual(['expected a cursor']);
  });

  test('to look for is taken as it is, and is some', () => {
    expect(parseResult(fields.sought, ' a ')).toEqual(validResult(' a '));
    expect(parseResult(fields.sought, ' ')).toEqual(validResult(' '));
    for (const wrong of ['', '123456', 1])
      expect(parseResult(fields.sought, wrong)).toEqual(['expected text of 1 to 5 characters']);
    expect(parseResult(fields.sought, undefined)).toEqual(['required']);
  });

  test('of a name is trimmed, and then of 1 to 255 units', () => {
    const issues = ['expected text of 1 to 255 characters'];
    expect(parseResult(fields.trimmed, '\t Acme \n')).toEqual(validResult('Acme'));
    expect(parseResult(fields.trimmed, `  ${'x'.repeat(255)}  `)).toEqual(validResult('x'.repeat(255)));
    for (const wrong of ['', '  ', 'x'.repeat(256), `${'x'.repeat(254)}😀`, null])
      expect(parseResult(fields.trimmed, wrong)).toEqual(issues);
    expect(parseResult(fields.trimmed, undefined)).toEqual(['required']);
  });

  test('that describes is sanitised, and is held to its length before and after', () => {
    const most = 20_000;
    expect(parseResult(descriptionInput, '')).toEqual(validResult(''));
    expect(parseResult(descriptionInput, '<p onclick="x()">Kept<script>1</script></p>')).toEqual(
      validResult('<p>Kept</p>'),
    );
    expect(parseResult(descriptionInput, 'x'.repeat(most))).toEqual(validResult('x'.repeat(most)));
    for (const wrong of ['x'.repeat(most + 1), `${'x'.repeat(most - 1)}😀`, 1, null]) {
      expect(parseResult(descriptionInput, wrong)).toEqual(['expected text of at most 20000 characters']);
    }
    expect(parseResult(descriptionInput, undefined)).toEqual(['required']);
    const grows = `<b>${'"&'.repeat((most - 4) / 2)}`; // each & becomes &amp;
    expect(parseResult(descriptionInput, grows)).toEqual([
      'expected text of at most 20000 characters, also once its HTML is sanitised',
    ]);
    expect(parseResult(descriptionInput, `<b>${'x'.repeat(most - 7)}`)).toEqual(
      validResult(`<b>${'x'.repeat(most - 7)}</b>`),
    );
  });
});

describe('an id', () => {
  test('in a path is digits, of which those that can be none are not found', () => {
    for (const id of [0, 1, 2_147_483_648, Number.MAX_SAFE_INTEGER])
      expect(parseResult(pathId('x'), id)).toEqual(validResult(id));
    for (const wrong of [-1, 1.5, '1', null, Infinity, NaN])
      expect(parseResult(pathId('x'), wrong)).toEqual(['expected an integer']);
    expect(parseResult(pathId('x'), undefined)).toEqual(['required']);
  });

  test('in a body is one that can be', () => {
    for (const id of [1, 2_147_483_647]) expect(parseResult(bodyId('x'), id)).toEqual(validResult(id));
    for (const wrong of [0, -1, 1.5, 2_147_483_648, '1', null]) {
      expect(parseResult(bodyId('x'), wrong)).toEqual(['expected an integer from 1 to 2147483647']);
    }
    expect(parseResult(bodyId('x'), undefined)).toEqual(['required']);
  });

  test('that is public is any text in a path', () => {
    for (const id of ['', 'x', 'x'.repeat(100)])
      expect(parseResult(uniqueIdInput('x', EXAMPLE_IDS.key), id)).toEqual(validResult(id));
    expect(parseResult(uniqueIdInput('x', EXAMPLE_IDS.key), 1)).toEqual(['expected text']);
    expect(parseResult(uniqueIdInput('x', EXAMPLE_IDS.key), undefined)).toEqual(['required']);
  });
});

describe('a moment', () => {
  const EXPECTED = ['expected a moment from 1900 to 2999 such as 2027-01-31T12:00:00Z'];

  test.for([
    ['2026-06-30T12:00:00Z', '2026-06-30T12:00:00Z'],
    ['2026-06-30T12:00:00+02:00', '2026-06-30T10:00:00Z'],
    ['2026-06-30T12:00:00-23:59', '2026-07-01T11:59:00Z'],
    ['2026-06-30T12:00:00.5Z', '2026-06-30T12:00:00.5Z'],
    ['2026-06-30T12:00:00.123456Z', '2026-06-30T12:00:00.123456Z'],
    ['2026-06-30T12:00:00.9999999999Z', '2026-06-30T12:00:00.999999Z'],
    ['1900-01-01T00:00:00Z', '1900-01-01T00:00:00Z'],
    ['2999-12-31T23:59:59.999999Z', '2999-12-31T23:59:59.999999Z'],
  ])('with its offset is the same in UTC: %s', ([offset, utc]) =>
    expect(parseResult(timestampInput, offset)).toEqual(validResult(utc)),
  );

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
  ])('is none, and told so once: %s', (wrong) => expect(parseResult(timestampInput, wrong)).toEqual(EXPECTED));

  test('has 40 characters at most', () => {
    const long = (zeros: number) => `2026-06-30T12:00:00.${'0'.repeat(zeros)}Z`;
    expect(long(19)).toHaveLength(40);
    expect(parseResult(timestampInput, long(19))).toEqual(validResult('2026-06-30T12:00:00.000000Z'));
    expect(parseResult(timestampInput, undefined)).toEqual(['required']);
  });

  test('to come is later than now, and of a year that can be', () => {
    vi.useFakeTimers({ now: new Date('2026-11-21T12:00:00Z'), toFake: ['Date'] });
    const FUTURE = ['expected a moment in the future'];
    expect(parseResult(futureTimestampInput, '2026-11-21T12:00:00.001Z')).toEqual(
      validResult('2026-11-21T12:00:00.001Z'),
    );
    expect(parseResult(futureTimestampInput, '2026-11-21T13:30:00+01:00')).toEqual(
      validResult('2026-11-21T13:30:00+01:00'),
    );
    expect(parseResult(futureTimestampInput, '2999-12-31T23:59:59Z')).toEqual(validResult('2999-12-31T23:59:59Z'));
    for (const past of ['2026-11-21T12:00:00Z', '2026-11-21T12:30:00+01:00', '3000-01-01T00:00:00Z']) {
      expect(parseResult(futureTimestampInput, past)).toEqual(FUTURE);
    }
    expect(parseResult(futureTimestampInput, 'tomorrow')).toContain('expected a moment such as 2027-01-31T12:00:00Z');
    expect(parseResult(futureTimestampInput, undefined)).toEqual(['required']);
  });

  test('in an answer is ISO 8601 in UTC, or null', () => {
    const noon = new Date('2026-11-21T12:00:00Z');
    expect([isoOrNull(noon), isoOrNull(null), isoOrNull(undefined)]).toEqual(['2026-11-21T12:00:00.000Z', null, null]);
  });
});

test('what takes nothing takes no field', () => {
  expect(parseResult(noInput, undefined)).toEqual(validResult(undefined));
  expect(parseResult(noInput, {})).toEqual(validResult({}));
  expect(parseResult(noInput, { company: 8 })).toEqual(['Unrecognized key: "company"']);
});

describe('the document', () => {
  const told = (schema: z.ZodType, io: 'input' | 'output' = 'input') => createSchema(schema, { io }).schema;

  test('tells the bounds that a field is held to', () => {
    expect(told(textInput('a cursor', 5))).toEqual({ type: 'string', maxLength: 5 });
    expect(told(searchText(5))).toEqual({ type: 'string', minLength: 1, maxLength: 5 });
    expect(told(nameInput('A name'))).toEqual({ type: 'string', minLength: 1, maxLength: 255, description: 'A name' });
    const id = { type: 'integer', format: 'int32', minimum: 1, maximum: 2_147_483_647, description: 'An id' };
    expect(told(pathId('An id'))).toEqual(id);
    expect(told(bodyId('An id'))).toEqual(id);
    expect(told(uniqueIdInput('An id', EXAMPLE_IDS.key))).toEqual({
      type: 'string',
      description: 'An id',
      maxLength: 36,
      examples: [EXAMPLE_IDS.key],
    });
    expect(told(descriptionInput)).toMatchObject({
      maxLength: 20_000,
      description: expect.stringMatching(/HTML.+not\./),
    });
    expect(told(timestampInput)).toEqual({
      type: 'string',
      format: 'date-time',
      maxLength: 40,
      examples: ['2026-06-30T12:00:00Z'],
    });
  });

  test('tells what stands in an answer', () => {
    expect(told(uniqueIdOutput)).toEqual({
      type: 'string',
      format: 'uuid',
      maxLength: 36,
      description: 'UUIDv7',
      examples: [EXAMPLE_IDS.task],
    });
    const when = { type: 'string', format: 'date-time', maxLength: 32, description: 'ISO 8601, UTC' };
    expect(told(timestampOutput)).toEqual({ ...when, examples: [expect.stringMatching(/^\d{4}-.+T.+Z$/)] });
    expect(told(z.object(changeMetadataOutput))).toMatchObject({
      properties: {
        createdAt: when,
        updatedAt: when,
        createdBy: { $ref: '#/components/schemas/Actor' },
        updatedBy: { $ref: '#/components/schemas/Actor' },
        version: { minimum: 1, maximum: 2_147_483_647, description: expect.stringContaining('one more') },
      },
      required: ['createdAt', 'updatedAt', 'createdBy', 'updatedBy', 'version'],
    });
    const { components } = createSchema(ActorOutput);
    expect(components['Actor']).toMatchObject({
      properties: { name: { maxLength: 255, examples: ['Ticket sync'] }, kind: { enum: ['human', 'integration'] } },
      description: expect.stringContaining('user'),
      examples: [expect.objectContaining({ uniqueId: expect.stringMatching(/^019a/), name: 'Ticket sync' })],
    });
  });

  test.for([uniqueIdOutput, timestampOutput, timestampInput, ActorOutput])(
    'has examples that are what they show: %#',
    (schema) => {
      const { examples = [] } = z.globalRegistry.get(schema) ?? {};
      expect(examples).toHaveLength(1);
      for (const example of examples as unknown[]) expect(schema.safeParse(example).success).toBe(true);
    },
  );
});
