import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import type { Client } from 'pg';
import { databaseDir } from '../../../server/config/data-dir.ts';
import { createScratchDatabase } from '../../support/database/scratch-database.ts';
import { until } from '../../support/servers/until.ts';
import { sqlOn, withClient } from '../../support/database/client.ts';
import type { RunSql } from '../../support/database/client.ts';

/** Data of a service that does not run. */
export interface StoredData {
  /** Settings of a service that starts on the data. */
  settings: Record<string, string>;
  copy: () => Promise<StoredData>;
  /** Opens the database without the service. */
  read: <T>(work: (run: RunSql) => Promise<T>) => Promise<T>;
  /** Names the state in which a kill left the data, without a change of them. @param migrations applied before and after */
  describeState: (migrations: { before: number; after: number }) => Promise<string>;
  remove: () => Promise<void>;
}

async function describeMigrations(run: RunSql, { before, after }: { before: number; after: number }): Promise<string> {
  const [row] = await run<{ applied: number }>('select count(*)::int as applied from mikro_orm_migrations');
  if (row?.applied === before) return 'before the migration';
  return row?.applied === after ? 'after the migration' : 'between migrations';
}

/** Data of the embedded database, in a temporary folder. */
export async function embeddedData(from?: string): Promise<StoredData> {
  const folder = await mkdtemp(join(tmpdir(), 'upgrade-data-'));
  if (from !== undefined) await cp(from, folder, { recursive: true });
  const data: StoredData = {
    settings: { DATA_DIR: folder },
    copy: () => embeddedData(folder),
    async read(work) {
      const pglite = await PGlite.create(databaseDir(folder));
      try {
        return await work(
          async <Row>(text: string, ...values: unknown[]) => (await pglite.query<Row>(text, values)).rows,
        );
      } finally {
        await pglite.close();
      }
    },
    async describeState(migrations) {
      const names = await readdir(folder);
      if (!names.includes('backups'))
        return names.some((name) => name.startsWith('.staging-')) ? 'during the backup' : 'before the backup';
      // To open the files completes the work of the killed process, so this opens a copy.
      const copy = await data.copy();
      try {
        return await copy.read((run) => describeMigrations(run, migrations));
      } finally {
        await copy.remove();
      }
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
  return data;
}

/** Data of PostgreSQL, in a new database with a role of the service. */
export async function postgreSqlData(serverUrl: string): Promise<StoredData> {
  const scratch = await createScratchDatabase(serverUrl);
  return { ...databaseData(serverUrl, scratch.url, scratch.serviceUrl), remove: scratch.drop };
}

let copies = 0;

function databaseData(serverUrl: string, url: string, serviceUrl: string): StoredData {
  const name = new URL(url).pathname.slice(1);
  const onServer = (work: (client: Client) => Promise<unknown>) => withClient(serverUrl, work);
  const read: StoredData['read'] = (work) => withClient(url, (client) => work(sqlOn(client)));
  return {
    settings: { DATABASE_URL: serviceUrl, MIGRATION_DATABASE_URL: url, DATA_DIR: join(tmpdir(), name) },
    async copy() {
      const copyName = `${name}_${(copies += 1)}`;
      await onServer(async (client) => {
        // Sessions of a killed process end when PostgreSQL notices it. A database with sessions cannot be copied.
        const sessions = () => client.query('select from pg_stat_activity where datname = $1', [name]);
        await until(async () => (await sessions()).rowCount === 0, `${name}: the end of its sessions`);
        await client.query(`create database ${copyName} template ${name}`);
        await client.query(`revoke temporary on database ${copyName} from public`);
      });
      const withName = (text: string) => Object.assign(new URL(text), { pathname: `/${copyName}` }).href;
      return databaseData(serverUrl, withName(url), withName(serviceUrl));
    },
    read,
    describeState: (migrations) => read((run) => describeMigrations(run, migrations)),
    remove: async () => void (await onServer((client) => client.query(`drop database ${name} with (force)`))),
  };
}
