import { Client } from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { foldCase } from '../../entities/fold-case.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { sql } from '../support/database/database.ts';
import { createScratchDatabase } from '../support/database/scratch-database.ts';

let acme: TestCompany;
beforeAll(async () => {
  acme = await createCompany();
});

test.for([
  [['ΑΣ', 'ασ'], ['ΑΣ']],
  [['ας', 'ΑΣ', 'ασ'], ['ας']],
  [
    ['İ', 'i̇'],
    ['İ', 'i̇'],
  ],
  [['İ', 'i', 'I'], ['İ']],
  [
    ['ı', 'i'],
    ['ı', 'i'],
  ],
  [
    ['Äß', 'äß', 'ÄSS'],
    ['Äß', 'ÄSS'],
  ],
  [
    ['ДА', 'да', 'Da', 'dA'],
    ['ДА', 'Da'],
  ],
  [['K', 'k', 'K'], ['K']],
  [['ǅ', 'ǆ', 'Ǆ'], ['ǅ']],
  [['𐐀', '𐐨'], ['𐐀']],
] as const)('of the labels %j the filter tells %j apart, and these are kept', async ([given, kept]) => {
  const { uniqueId, labels } = await acme.newTask({ labels: [...given] });
  expect(labels).toEqual(kept);
  const changed = await acme.task.update({ taskUniqueId: uniqueId, labels: [...given].toReversed() });
  expect(changed.labels).toHaveLength(kept.length);
  const tasks = await Promise.all(kept.map((label) => acme.newTask({ title: label, labels: [label] })));
  for (const label of given) {
    const isKept = tasks.map(({ labels: [one = ''] }) => foldCase(one) === foldCase(label));
    expect(isKept.filter(Boolean)).toHaveLength(1);
    const found = await acme.task.list({ framework: acme.framework, label, limit: 100 });
    const ids = found.items?.map((task) => task.uniqueId) ?? [];
    expect(tasks.map((task) => ids.includes(task.uniqueId))).toEqual(isKept);
    expect(ids).toContain(uniqueId);
  }
});

test('q finds titles and names of any case', async () => {
  for (const [name, q] of [
    ['Ο ΣΊΣΥΦΟΣ', 'σίσυφος'],
    ['Ο ΣΊΣΥΦΟΣ', 'ΣΊΣΥΦΟσ'],
    ['İSTANBUL', 'istanbul'],
    ['ÄRGER', 'ärger'],
  ] as const) {
    const { uniqueId } = await acme.newTask({ title: name });
    const tasks = await acme.task.list({ framework: acme.framework, q, limit: 100 });
    expect(tasks.items?.map((task) => task.uniqueId)).toContain(uniqueId);
    const vendor = await acme.vendor.create({ name });
    const vendors = await acme.vendor.page({ q, limit: 100 });
    expect(vendors.items.map((one) => one.uniqueId)).toContain(vendor.uniqueId);
  }
});

/** Letters whose case came with Unicode 16 and 17, which not every database has. */
const RECENT_CHARACTERS =
  /[\u1c89\u1c8a\ua7cb-\ua7cf\ua7d2-\ua7d5\ua7da-\ua7dc\u{10d50}-\u{10d85}\u{16ea0}-\u{16ed3}]/u;

const allCharacters = Array.from({ length: 0x1ffff }, (_, at) => at + 1)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
  .filter((character) => !RECENT_CHARACTERS.test(character));

describe('the database folds every character as the service does', () => {
  const FOLD =
    'select array(select fold_case(one) from unnest($1::text[]) with ordinality given (one, at) order by at) as folded';
  const differing = (folded: readonly string[]) =>
    allCharacters.filter((character, at) => foldCase(character) !== folded[at]);

  test('with the collation of the tests', async () => {
    const [row] = await sql<{ folded: string[] }>(FOLD, allCharacters);
    expect(differing(row?.folded ?? [])).toEqual([]);
  });

  test.runIf(process.env['DATABASE_URL'] !== undefined)('with the collation "C"', async () => {
    const options = `template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C'`;
    const { url, drop } = await createScratchDatabase(process.env['DATABASE_URL'] ?? '', options);
    const client = new Client({ connectionString: url });
    try {
      const database = await openPostgreSql(url);
      await database.migrate();
      await database.close();
      await client.connect();
      const { rows } = await client.query<{ lower: string; folded: string[] }>(
        `select lower('Ä'), (${FOLD}) as folded`,
        [allCharacters],
      );
      expect(rows[0]?.lower).toBe('Ä');
      expect(differing(rows[0]?.folded ?? [])).toEqual([]);
    } finally {
      await client.end();
      await drop();
    }
  });
});
