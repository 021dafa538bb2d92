import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { knownMigrations } from '../../database/orm/migrations.ts';
import { VERSION, isOlder } from '../../database/version.ts';
import versions from '../../migrations/versions.json' with { type: 'json' };
import { FIXTURES_DIR } from './scenario/record.ts';
import type { FixtureRecord } from './scenario/record.ts';

const root = join(import.meta.dirname, '..', '..');
const numbers = Object.keys(versions);

test('every migration belongs to a version: npm run version:create makes one', async () => {
  const migrations = (await knownMigrations()).toSorted();
  expect(migrations.at(-1)).toBe(Object.values(versions).at(-1));
  expect(migrations).toEqual(expect.arrayContaining(Object.values(versions)));
});

test('the last version is that of the packages, and versions ascend', async () => {
  expect(numbers.at(-1)).toBe(VERSION);
  expect(numbers.toSorted((one, other) => (isOlder(one, other) ? -1 : 1))).toEqual(numbers);
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as { version: string };
  expect(lock.version).toBe(VERSION);
});

test('the changelog has a section for each version, the newest first', async () => {
  const changelog = await readFile(join(root, 'CHANGELOG.md'), 'utf8');
  const sections = [...changelog.matchAll(/^## (\d+\.\d+\.\d+), \d{4}-\d\d-\d\d$/gm)].map(([, number]) => number);
  expect(sections).toEqual(numbers.toReversed());
});

test('only versions have a fixture', async () => {
  const folders = await readdir(FIXTURES_DIR, { withFileTypes: true });
  const names = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(names.toSorted()).toEqual(numbers.toSorted());
});

describe.each(numbers)('the fixture of %s', (number) => {
  test('is small, and names its version', async () => {
    const folder = join(FIXTURES_DIR, number);
    expect((await stat(join(folder, 'dump.sql'))).size).toBeLessThanOrEqual(400_000);
    const record = JSON.parse(await readFile(join(folder, 'record.json'), 'utf8')) as FixtureRecord;
    expect(record.version).toBe(number);
  });
});
