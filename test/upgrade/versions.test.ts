import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { knownMigrations } from '../../database/orm/migrations.ts';
import { VERSION, isOlder } from '../../database/version.ts';
import versions from '../../migrations/versions.json' with { type: 'json' };
import { versionsAt } from './fixture-versions.ts';
import { FIXTURES_DIR, MAX_DUMP_BYTES, readDump, readRecord } from './scenario/packed.ts';

const root = join(import.meta.dirname, '..', '..');
const numbers = Object.keys(versions);

test('every migration belongs to a version: npm run version:create makes one', async () => {
  const migrations = (await knownMigrations()).toSorted();
  expect(migrations.at(-1)).toBe(Object.values(versions).at(-1));
  expect(migrations).toEqual(expect.arrayContaining(Object.values(versions)));
});

const readJson = async <T>(...path: string[]) => JSON.parse(await readFile(join(root, ...path), 'utf8')) as T;

test('the last version is that of the product, and versions ascend', async () => {
  expect(numbers.at(-1)).toBe(VERSION);
  expect(numbers.toSorted((one, other) => (isOlder(one, other) ? -1 : 1))).toEqual(numbers);
  expect(await readJson('package-lock.json')).toMatchObject({ version: VERSION });
});

test('every package has the version and the licence of the product', async () => {
  const { workspaces, license } = await readJson<{ workspaces: string[]; license: string }>('package.json');
  const { packages } = await readJson<{ packages: Record<string, object> }>('package-lock.json');
  expect(workspaces).toContain('clients/typescript');
  for (const workspace of workspaces) {
    expect(await readJson(workspace, 'package.json')).toMatchObject({ version: VERSION, license });
    expect([workspace, packages[workspace]]).toMatchObject([workspace, { version: VERSION, license }]);
  }
  const licence = await readFile(join(root, 'LICENSE'), 'utf8');
  expect(await readFile(join(root, 'clients/typescript/LICENSE'), 'utf8')).toBe(licence);
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

test('the gate upgrades each day from the first version, the last two and one more, and from each within as many days', () => {
  const all = ['0.1.0', '0.2.0', '0.3.0', '0.9.0', '0.10.0', '0.11.0'];
  const days = [1, 2, 3].map((day) => versionsAt(new Date(Date.UTC(2026, 0, day, 23, 59)), all));
  expect(days[0]).toEqual([
    ['0.1.0', 'the first'],
    [expect.any(String), 'in turn on 2026-01-01'],
    ['0.10.0', 'one of the last two'],
    ['0.11.0', 'one of the last two'],
  ]);
  expect(new Set(days.flat().map(([version]) => version))).toEqual(new Set(all));
});

describe.each(numbers)('the fixture of %s', (number) => {
  test('is small, and names its version', async () => {
    expect(Buffer.byteLength(await readDump(number))).toBeLessThanOrEqual(MAX_DUMP_BYTES);
    expect((await readRecord(number)).version).toBe(number);
  });
});
