import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { withPrivacyTables } from '../../server/docs/privacy-tables.ts';
import { ownerUrl } from '../support/database/database.ts';
import { createScratchDatabase } from '../support/database/scratch-database.ts';

/** Relations whose file has one of the texts. A checkpoint writes what is in memory first. */
const RELATIONS_WITH = `select distinct c.relname as name from pg_class c, unnest($1::text[]) t
  where c.relkind in ('r', 'i', 't') and pg_relation_size(c.oid) > 0
    and position(t::bytea in pg_read_binary_file(pg_relation_filepath(c.oid), 0, pg_relation_size(c.oid))) > 0
  order by 1`;

// The embedded database rewrites its tables at a start.
test.runIf(ownerUrl !== undefined)(
  'the commands in docs/privacy.md remove the bytes of deleted rows from tables, indexes and statistics',
  { timeout: 120_000 },
  async () => {
    const { url, serviceUrl, drop } = await createScratchDatabase(ownerUrl ?? '');
    onTestFinished(drop);
    const database = await openPostgreSql(serviceUrl, { ownerUrl: url });
    await database.migrate();
    await database.close();
    const owner = new Client({ connectionString: url });
    await owner.connect();
    onTestFinished(() => owner.end());
    // Few, because PostgreSQL compresses longer statistics.
    const emails = Array.from({ length: 5 }, () => `${randomBytes(12).toString('hex')}@example.com`);
    const relationsWith = async () => {
      await owner.query('checkpoint');
      return (await owner.query<{ name: string }>(RELATIONS_WITH, [emails])).rows.map(({ name }) => name);
    };

    await owner.query('set session_replication_role = replica'); // no triggers, so that a person can be deleted
    await owner.query(
      `insert into person (unique_id, email, name) select gen_random_uuid(), email, email from unnest($1::text[]) email`,
      [emails],
    );
    await owner.query('analyze person');
    await owner.query('delete from person');
    await owner.query('vacuum person');
    // The reason for the commands.
    expect(await relationsWith()).toEqual(expect.arrayContaining(['person_email_unique', 'pg_statistic']));

    const page = withPrivacyTables(await readFile(new URL('../../docs/privacy.md', import.meta.url), 'utf8'));
    const [, commands = ''] = /<!-- rewrite -->\s+```sql\n([^]*?)```/.exec(page) ?? [];
    const statements = commands.split(';\n').filter((statement) => statement !== '');
    expect(statements).toHaveLength(4);
    // The page says to run them again if another transaction, such as that of autovacuum, kept the deleted rows.
    const runCommands = async () => {
      for (const statement of statements) await owner.query(statement);
      return relationsWith();
    };
    await expect.poll(runCommands, { timeout: 60_000, interval: 1000 }).toEqual([]);
  },
);
