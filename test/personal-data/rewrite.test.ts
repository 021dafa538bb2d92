import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { openPglite } from '../../database/pglite/open.ts';
import { databaseDir } from '../../server/config/data-dir.ts';
import { loadSettings } from '../../server/config/settings.ts';
import { openDatabase } from '../../server/process/database.ts';
import { createBackupFolder } from '../support/servers/backup.ts';

const { pathTo } = await createBackupFolder();
const dataDir = pathTo('data');
const PEOPLE = 50;

/** Lines of the log of a start. */
async function start(): Promise<string[]> {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) });
  await using stack = new AsyncDisposableStack();
  await openDatabase(loadSettings({ DATA_DIR: dataDir }), { log }, stack);
  return lines.map((line) => String(Reflect.get(Object(JSON.parse(line)), 'msg')));
}

/** Changes the database of a stopped service as its superuser. */
async function change(...statements: string[]): Promise<void> {
  const database = await openPglite(databaseDir(dataDir));
  await database.query('test.reset-role', 'reset role', []);
  for (const [index, statement] of statements.entries()) await database.query(`test.change-${index}`, statement, []);
  await database.close();
}

/** Emails that a file of DATA_DIR contains, except the write-ahead log. */
async function emailsInFiles(): Promise<Set<string>> {
  const found = new Set<string>();
  for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.parentPath.includes('pg_wal')) continue;
    const text = await readFile(join(entry.parentPath, entry.name), 'latin1');
    for (const [email] of text.matchAll(/searched\d+@example\.com/g)) found.add(email);
  }
  return found;
}

test('the next start rewrites tables, indexes and statistics that had the emails of who was forgotten, before it listens', async () => {
  await start();
  await change(
    `insert into person (unique_id, email, name) select gen_random_uuid(), 'searched' || i || '@example.com', 'Name ' || i
       from generate_series(1, ${PEOPLE}) i`,
    `insert into unknown_sign_in (email, method, user_agent) select 'searched' || i || '@example.com', 'password', ''
       from generate_series(1, ${PEOPLE}) i`,
    'analyze',
    "delete from person where name like 'Name %'",
    'delete from unknown_sign_in',
    'vacuum',
  );
  expect((await emailsInFiles()).size).toBe(PEOPLE);
  expect(await start()).toEqual([]);
  expect((await emailsInFiles()).size).toBe(PEOPLE);
  await change(`insert into rewrite_request (scope) values ('people')`);
  expect(await start()).toEqual(['database: rewrote the tables from which data were erased']);
  expect(await emailsInFiles()).toEqual(new Set());
  expect(await start()).toEqual([]);
});

test('the request for all tables rewrites also those without data of people', async () => {
  await change(
    `create table scratch as select 'searched' || i || '@example.com' as email from generate_series(1, ${PEOPLE}) i`,
    'analyze scratch',
    'delete from scratch',
    `insert into rewrite_request (scope) values ('all')`,
  );
  expect((await emailsInFiles()).size).toBe(PEOPLE);
  expect(await start()).toEqual(['database: rewrote the tables from which data were erased']);
  expect(await emailsInFiles()).toEqual(new Set());
});
