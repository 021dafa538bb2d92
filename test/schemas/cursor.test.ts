import { describe, expect, test } from 'vitest';
import { Database } from '../../database/database.ts';
import { Session } from '../../database/session.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { cursorCodec } from '../../procedures/schemas/cursor.ts';
import { stubDriver } from '../support/database/stub-driver.ts';

// Encryption of cursors. The tests of each list check that the list uses its cursors.

const POSITION = ['2026-11-21T12:00:00.000Z', '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071'];
const FILTERS = { framework: 1, status: undefined, search: 'x' };
const INVALID_CURSOR = expect.objectContaining({
  name: 'ApiError',
  code: 'invalid_request',
  message: 'cursor: expected a cursor of this list with the same filters',
});

const databaseWithSecret = (secret: string) =>
  new Database(stubDriver({ 'secret.cursor': () => [{ value: Buffer.from(secret) }] }));
const testDatabase = databaseWithSecret('one');

const cursorsFor = (list = 'task', filters: object = FILTERS, { company = 7, database = testDatabase } = {}) =>
  cursorCodec(new Session(database, operatorPrincipal(company), 'r-1'), list, filters);

test('a cursor decodes to its position, and equal positions have equal cursors', async () => {
  const list = await cursorsFor();
  for (const position of [POSITION, [], [''], ['ü 😀', '"']]) {
    expect(list.decode(list.encode(position))).toEqual(position);
  }
  expect(list.encode(POSITION)).toBe((await cursorsFor()).encode(POSITION));
  expect(list.encode(POSITION)).not.toBe(list.encode([...POSITION].toReversed()));
  expect(list.encode(POSITION)).toMatch(/^[\w-]+$/);
});

test('a cursor does not reveal its position', async () => {
  const list = await cursorsFor();
  const bytes = Buffer.from(list.encode(POSITION), 'base64url');
  expect(bytes).toHaveLength(12 + JSON.stringify(POSITION).length + 16);
  for (const part of POSITION) expect(bytes.includes(part)).toBe(false);
});

test('the order of filters and undefined filters do not affect the cursor', async () => {
  const cursor = (await cursorsFor()).encode(POSITION);
  const equivalentFilters = [
    { search: 'x', framework: 1 },
    { framework: 1, search: 'x' },
    { search: 'x', status: undefined, framework: 1 },
  ];
  for (const filters of equivalentFilters) expect((await cursorsFor('task', filters)).decode(cursor)).toEqual(POSITION);
});

describe('a cursor is rejected by', () => {
  test.for<[string, Parameters<typeof cursorsFor>]>([
    ['another list', ['vendor', FILTERS]],
    ['the list with another filter value', ['task', { ...FILTERS, search: 'y' }]],
    ['the list with an additional filter', ['task', { ...FILTERS, status: 'todo' }]],
    ['the list with a filter removed', ['task', { framework: 1 }]],
    ['the list with a renamed filter', ['task', { framework: 1, name: 'x' }]],
    ['the list with a filter that is null', ['task', { ...FILTERS, status: null }]],
    ['another company', ['task', FILTERS, { company: 8 }]],
    ['a database with another secret', ['task', FILTERS, { database: databaseWithSecret('two') }]],
  ])('%s', async ([, parameters]) => {
    const cursor = (await cursorsFor()).encode(POSITION);
    const other = await cursorsFor(...parameters);
    expect(() => other.decode(cursor)).toThrow(INVALID_CURSOR as Error);
  });
});

test('a modified or malformed cursor is rejected, and the decryption error is the cause', async () => {
  const list = await cursorsFor();
  const cursor = list.encode(POSITION);
  for (let index = 0; index < cursor.length; index++) {
    const other = cursor[index] === 'A' ? 'B' : 'A';
    expect(() => list.decode(cursor.slice(0, index) + other + cursor.slice(index + 1))).toThrow(
      INVALID_CURSOR as Error,
    );
  }
  const bytes = Buffer.from(cursor, 'base64url');
  const truncated = [0, 11, 12, 27, 28, 29, bytes.length - 1].map((length) =>
    bytes.subarray(0, length).toString('base64url'),
  );
  for (const invalid of [...truncated, 'x', `${cursor}=`, `${cursor}A`, ` ${cursor}`, `${cursor}\n`, `${cursor}!`]) {
    expect(() => list.decode(invalid)).toThrow(INVALID_CURSOR as Error);
  }
  const causeOf = (text: string): unknown => {
    try {
      return list.decode(text);
    } catch (error) {
      return error instanceof Error ? error.cause : error;
    }
  };
  expect(causeOf(bytes.subarray(0, -1).toString('base64url'))).toBeInstanceOf(Error);
  expect(causeOf(bytes.subarray(0, 28).toString('base64url'))).toBeUndefined();
  expect(causeOf(`${cursor}=`)).toBeUndefined();
});
