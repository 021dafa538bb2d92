import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { foldCase, foldedParameter, foldedSql } from '../../entities/fold-case.ts';
import { createCompany } from '../support/tenants/company.ts';
import { importFile } from '../support/tenants/imports.ts';
import { sql } from '../support/database/database.ts';
import { createScratchDatabase } from '../support/database/scratch-database.ts';

const acme = await createCompany();

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
] as const)('of the labels %j a task keeps %j, and the filter distinguishes only these', async ([labels, kept]) => {
  const created = await acme.newTask({ labels: [...labels] });
  expect(created.labels).toEqual(kept);
  const changed = await acme.task.update({ taskUniqueId: created.uniqueId, labels: [...labels].toReversed() });
  expect(changed.labels).toHaveLength(kept.length);
  const tasks = await Promise.all(kept.map((label) => acme.newTask({ title: label, labels: [label] })));
  for (const label of labels) {
    const matches = tasks.map(({ labels: [one = ''] }) => foldCase(one) === foldCase(label));
    expect(matches.filter(Boolean)).toHaveLength(1);
    const page = await acme.task.list({ framework: acme.framework, label, limit: 100 });
    const ids = page.items?.map((task) => task.uniqueId) ?? [];
    expect(tasks.map((task) => ids.includes(task.uniqueId))).toEqual(matches);
    expect(ids).toContain(created.uniqueId);
  }
});

test('q matches titles and names in any case', async () => {
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

/** Letters that got case mappings in Unicode 16 and 17. Not every database has them. */
const RECENT_CHARACTERS =
  /[\u1c89\u1c8a\ua7cb-\ua7cf\ua7d2-\ua7d5\ua7da-\ua7dc\u{10d50}-\u{10d85}\u{16ea0}-\u{16ed3}]/u;

const allCharacters = Array.from({ length: 0x1ffff }, (_, at) => at + 1)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
  .filter((character) => !RECENT_CHARACTERS.test(character));

test('a text equals the same one in another normal form, and stays as it was sent', async () => {
  const [composed, decomposed] = ['MÜNCHEN', 'Mu\u0308nchen'];
  const labels = [decomposed, composed, 'ẞ', 'Å', '\u212B'];
  for (const spelling of [composed, decomposed]) {
    const task = await acme.newTask({ title: spelling, labels });
    expect(task).toMatchObject({ title: spelling, labels: [decomposed, 'ẞ', 'Å'] });
    const { uniqueId } = await acme.vendor.create({ name: spelling, labels: [spelling] });
    for (const text of [composed, decomposed, 'mü', 'u\u0308NC'])
      for (const filter of [{ q: text }, ...(text.length > 3 ? [{ label: composed }, { label: decomposed }] : [])]) {
        const tasks = await acme.task.list({ framework: acme.framework, limit: 100, ...filter });
        expect(tasks.items?.map((one) => one.uniqueId)).toContain(task.uniqueId);
        const vendors = await acme.vendor.page({ limit: 100, ...filter });
        expect(vendors.items.map((one) => one.uniqueId)).toContain(uniqueId);
      }
  }
  expect(await acme.task.list({ framework: acme.framework, q: 'Munchen' })).toEqual({ total: 0 });
});

test('a department is found by its name in another normal form', async () => {
  const { id } = await acme.manage.department.create({ name: 'Büro Zürich' });
  await importFile(acme, `/external/task/framework/${acme.framework}/import`, [
    { title: 'Named', departmentId: 'bu\u0308ro ZU\u0308RICH' },
  ]);
  const { items } = await acme.task.list({ framework: acme.framework, q: 'Named', limit: 1 });
  expect(items).toMatchObject([{ departmentId: id }]);
});

describe('fold_case of the database equals foldCase of the service for every character', () => {
  const FOLD = `select array(select ${foldedSql('one')} from unnest($1::text[]) with ordinality input (one, at) order by at) as folded`;
  const differences = (folded: readonly string[]) =>
    allCharacters.filter((character, at) => foldCase(character) !== folded[at]);

  test('with the collation of the tests', async () => {
    const [row] = await sql<{ folded: string[] }>(FOLD, allCharacters);
    expect(differences(row?.folded ?? [])).toEqual([]);
  });

  test('and decomposed, as a parameter', async () => {
    const text = 'ÀÉÎÕÜŞĠǰΆΰЙ가'.normalize('NFD');
    const [row] = await sql<{ folded: string }>(`select ${foldedParameter('$1')} as folded`, text);
    expect(row?.folded).toBe(foldCase(text));
    expect(row?.folded).toBe(foldCase(text.normalize()));
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
      expect(differences(rows[0]?.folded ?? [])).toEqual([]);
    } finally {
      await client.end();
      await drop();
    }
  });
});
