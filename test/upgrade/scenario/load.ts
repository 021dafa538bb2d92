import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { dataDir as emptyDatabase } from '@electric-sql/pglite-prepopulatedfs';
import type { ClientBase } from 'pg';
import { inject } from 'vitest';
import type { Database } from '../../../database/database.ts';
import { openPglite } from '../../../database/pglite/open.ts';
import { openPostgreSql } from '../../../database/postgresql/open.ts';
import { CREATE_SERVICE_ROLE, SERVICE_ROLE } from '../../../database/pglite/service-role.ts';
import { withClient } from '../../support/database/client.ts';
import { openMigratedPglite } from '../../support/database/migrated-database.ts';
import { createScratchDatabase } from '../../support/database/scratch-database.ts';
import type { ScratchDatabase } from '../../support/database/scratch-database.ts';
import { readDump } from './packed.ts';
import type { FixtureRecord } from './record.ts';

/** A database with SQL, until it is closed. */
export interface LoadedDatabase {
  database: Database;
  close: () => Promise<void>;
}

/** Statements for the privileges of the service role. */
const PRIVILEGES = new RegExp(`^(?:GRANT|REVOKE) .* (?:TO|FROM) ${SERVICE_ROLE};\\n`, 'gm');

/** Adapts a dump of the embedded database: here the owner of the tables is the role of the service. */
async function forPostgreSql(client: ClientBase, dump: string): Promise<string> {
  const own = dump.replaceAll(PRIVILEGES, '');
  // Before PostgreSQL 17 the first migration chooses the other collation for comparisons that ignore case.
  const { rows } = await client.query(`select 1 from pg_collation where collname = 'pg_c_utf8'`);
  return rows.length > 0 ? own : own.replaceAll('pg_catalog.pg_c_utf8', 'pg_catalog."und-x-icu"');
}

/**
 * SQL that moves the ends of sessions, keys and links, and the deliveries that are kept for 30 days, with the clock: the data are
 * used as if they had just been recorded.
 * Values of the audit log stay as they are.
 */
const moveTimes = (recordedAt: string) => `
  set search_path = public;
  set session_replication_role = replica;
  do $$
  declare
    recorded_at constant timestamptz := '${recordedAt}';
    one record;
  begin
    for one in select table_name as name, string_agg(format(
        '%1$I = case when %1$I > $1 + interval ''1 minute'' or %2$L then %1$I + (now() - $1) else %1$I end',
        column_name, table_name in ('web_session', 'idempotency_record', 'webhook_delivery')), ', ') as changes
      from information_schema.columns
      where table_schema = 'public' and data_type = 'timestamp with time zone' and table_name not like 'audit%'
      group by table_name
    loop
      execute format('update %I set %s', one.name, one.changes) using recorded_at;
    end loop;
  end $$;
  set session_replication_role = origin;`;

/**
 * Loads the dump of a version into an empty database.
 * @param serverUrl PostgreSQL; undefined for the embedded database
 * @param further SQL that runs after it
 */
export async function loadFixture(
  { version, recordedAt }: FixtureRecord,
  serverUrl: string | undefined,
  further: readonly string[] = [],
): Promise<LoadedDatabase> {
  return loadSql([await readDump(version), moveTimes(recordedAt), ...further], serverUrl);
}

/** Opens an empty database of today. */
export async function openMigrated(serverUrl: string | undefined): Promise<LoadedDatabase> {
  if (serverUrl !== undefined)
    return openScratch(await createScratchDatabase(serverUrl, `template ${inject('postgreSqlTemplate')}`));
  const database = await openMigratedPglite();
  return { database, close: () => database.close() };
}

/** Runs SQL in an empty database, and opens it. Without SQL, the database has no role of the service. */
export const loadSql = (texts: readonly string[], serverUrl: string | undefined): Promise<LoadedDatabase> =>
  serverUrl === undefined ? loadEmbedded(texts) : loadPostgreSql(texts, serverUrl);

async function loadEmbedded(texts: readonly string[]): Promise<LoadedDatabase> {
  if (texts.length === 0) {
    const database = await openPglite();
    return { database, close: () => database.close() };
  }
  const folder = await mkdtemp(join(tmpdir(), 'fixture-'));
  const pglite = await PGlite.create({ dataDir: folder, loadDataDir: await emptyDatabase() });
  for (const text of [CREATE_SERVICE_ROLE, ...texts]) await pglite.exec(text);
  await pglite.close();
  const database = await openPglite(folder);
  const close = async () => {
    await database.close();
    await rm(folder, { recursive: true });
  };
  return { database, close };
}

async function loadPostgreSql(texts: readonly string[], serverUrl: string): Promise<LoadedDatabase> {
  const scratch = await createScratchDatabase(serverUrl);
  await withClient(scratch.url, async (client) => {
    for (const text of texts) await client.query(await forPostgreSql(client, text));
  });
  return openScratch(scratch);
}

async function openScratch(scratch: ScratchDatabase): Promise<LoadedDatabase> {
  const database = await openPostgreSql(scratch.url);
  const close = async () => {
    await database.close();
    await scratch.drop();
  };
  return { database, close };
}
