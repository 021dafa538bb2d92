import { describe, expect, test } from 'vitest';
import { Database } from '../../database/database.ts';
import { Session } from '../../database/session.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { cursorCodec } from '../../procedures/schemas/cursor.ts';
import { stubDriver } from '../support/database/stub-driver.ts';

// A place in a list that only the list itself can have named. The lists are held to it by trail.test.ts and others.

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

test('a cursor reads as it was written, and the same place has the same', async () => {
  const list = await cursorsFor();
  for (const place of [POSITION, [], [''], ['ü 😀', '"']]) expect(list.decode(list.encode(place))).toEqual(place);
  expect(list.encode(POSITION)).toBe((await cursorsFor()).encode(POSITION));
  expect(list.encode(POSITION)).not.toBe(list.encode([...POSITION].toReversed()));
  expect(list.encode(POSITION)).toMatch(/^[\w-]+$/);
});

test('it tells nothing of the place', async () => {
  const list = await cursorsFor();
  const bytes = Buffer.from(list.encode(POSITION), 'base64url');
  expect(bytes).toHaveLength(12 + JSON.stringify(POSITION).length + 16);
  for (const part of POSITION) expect(bytes.includes(part)).toBe(false);
});

test('filters are the same in any order, and where one that is not given is left out', async () => {
  const cursor = (await cursorsFor()).encode(POSITION);
  const same = [
    { search: 'x', framework: 1 },
    { framework: 1, search: 'x' },
    { search: 'x', status: undefined, framework: 1 },
  ];
  for (const filters of same) expect((await cursorsFor('task', filters)).decode(cursor)).toEqual(POSITION);
});

describe('nothing else reads it:', () => {
  test.for<[string, Parameters<typeof cursorsFor>]>([
    ['another list', ['vendor', FILTERS]],
    ['another filter', ['task', { ...FILTERS, search: 'y' }]],
    ['a filter more', ['task', { ...FILTERS, status: 'todo' }]],
    ['a filter less', ['task', { framework: 1 }]],
    ['a filter of another name', ['task', { framework: 1, name: 'x' }]],
    ['a filter that is null', ['task', { ...FILTERS, status: null }]],
    ['another company', ['task', FILTERS, { company: 8 }]],
    ['another house', ['task', FILTERS, { database: databaseWithSecret('two') }]],
  ])('%s', async ([, asked]) => {
    const cursor = (await cursorsFor()).encode(POSITION);
    const other = await cursorsFor(...asked);
    expect(() => other.decode(cursor)).toThrow(INVALID_CURSOR as Error);
  });
});

test('what was changed, or was never one, is refused, and says why to the log', async () => {
  const list = await cursorsFor();
  const cursor = list.encode(POSITION);
  for (let at = 0; at < cursor.length; at++) {
    const other = cursor[at] === 'A' ? 'B' : 'A';
    expect(() => list.decode(cursor.slice(0, at) + other + cursor.slice(at + 1))).toThrow(INVALID_CURSOR as Error);
  }
  const whole = Buffer.from(cursor, 'base64url');
  const cut = [0, 11, 12, 27, 28, 29, whole.length - 1].map((bytes) => whole.subarray(0, bytes).toString('base64url'));
  for (const wrong of [...cut, 'x', `${cursor}=`, `${cursor}A`, ` ${cursor}`, `${cursor}\n`, `${cursor}!`]) {
    expect(() => list.decode(wrong)).toThrow(INVALID_CURSOR as Error);
  }
  const causeOf = (text: string): unknown => {
    try {
      return list.decode(text);
    } catch (error) {
      return error instanceof Error ? error.cause : error;
    }
  };
  expect(causeOf(whole.subarray(0, -1).toString('base64url'))).toBeInstanceOf(Error);
  expect(causeOf(whole.subarray(0, 28).toString('base64url'))).toBeUndefined();
  expect(causeOf(`${cursor}=`)).toBeUndefined();
});
