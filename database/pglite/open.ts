import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { types } from '@electric-sql/pglite';
import type { PGlite } from '@electric-sql/pglite';
import { MikroORM } from '@mikro-orm/pglite';
import { PGliteDialect, PGliteDriver } from 'kysely';
import type { DatabaseConnection, Driver } from 'kysely';
import { Database } from '../database.ts';
import { databaseFiles } from './data-directory.ts';
import { grantStatements } from '../orm/privileges.ts';
import { LosslessPGlite } from './lossless-pglite.ts';
import { ormOptions } from '../orm/options.ts';
import type { BoundStatement } from '../../entities/statements/define-statement.ts';

/**
 * Leases PGlite's only connection to one caller at a time. Kysely's driver shares it between callers, so a query of one
 * request could join the open transaction of another.
 */
class SerialDriver extends PGliteDriver {
  #lastLease: Promise<void> = Promise.resolve();
  #release: (() => void) | undefined;

  override async acquireConnection(): Promise<DatabaseConnection> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const previousLease = this.#lastLease;
    this.#lastLease = promise;
    await previousLease;
    this.#release = resolve;
    return super.acquireConnection();
  }

  override async releaseConnection(): Promise<void> {
    this.#release?.();
  }
}

class SerialDialect extends PGliteDialect {
  readonly #pglite: PGlite;

  constructor(pglite: PGlite) {
    super({ pglite });
    this.#pglite = pglite;
  }

  override createDriver(): Driver {
    return new SerialDriver({ pglite: this.#pglite });
  }
}

/** Dates and times stay text in the format of PostgreSQL, as in the other driver. */
const keepText = (text: string) => text;
const DATE_PARSERS = { [types.DATE]: keepText, [types.TIMESTAMPTZ]: keepText };

/** Role of the service. PGlite's default role is a superuser, which bypasses row-level security. */
const SERVICE_ROLE = 'compliance_app';
const SUPERUSER = 'postgres';

/** Opens the embedded database, in memory or in a folder that no other process uses. */
export async function openPglite(folder?: string): Promise<Database> {
  const loadDataDir = await newDatabaseFiles(folder);
  const pglite = new LosslessPGlite({
    dataDir: folder ?? 'memory://',
    parsers: DATE_PARSERS,
    ...(loadDataDir !== undefined && { loadDataDir }),
  });
  await pglite.waitReady;
  const orm = await MikroORM.init({ ...ormOptions, driverOptions: new SerialDialect(pglite) });
  const setServiceRole = () => pglite.exec(`set role ${SERVICE_ROLE}`);
  if ((await pglite.query('select from pg_roles where rolname = $1', [SERVICE_ROLE])).rows.length > 0)
    await setServiceRole();
  return new Database({
    openOrm: async () => orm,
    run: (bound) =>
      bound.settings === undefined
        ? runOn(pglite, bound)
        : pglite.transaction((connection) => runOn(connection, bound)),
    // All other statements wait until it ends, so `work` must not wait for a statement outside of it.
    transaction: (work) => pglite.transaction((connection) => work((bound) => runOn(connection, bound))),
    migrate: async () => {
      await pglite.exec('reset role');
      const applied = await orm.migrator.up();
      if (applied.length > 0) {
        await pglite.exec(`do $$ begin create role ${SERVICE_ROLE}; exception when duplicate_object then null; end $$`);
        await pglite.exec(grantStatements(SERVICE_ROLE));
        await pglite.exec('revoke temporary on database postgres from public');
      }
      await setServiceRole();
    },
    isMigrated: async () => (await orm.migrator.getPending()).length === 0,
    missingPrivileges: async () => undefined,
    excessPrivileges: async () => undefined,
    ...(folder !== undefined && { files: databaseFiles(pglite, folder, SUPERUSER) }),
    listenForKeyChanges: (onKeysChanged) => pglite.listen('api_key_changed', onKeysChanged),
    close: () => orm.close(),
  });
}

/**
 * Returns the files of an empty database, which are two seconds faster than initdb; undefined if the folder has a database.
 * PG_VERSION is among the last files that PGlite writes, so after an interruption the next start writes all of them again.
 */
async function newDatabaseFiles(folder: string | undefined): Promise<Blob | undefined> {
  if (folder !== undefined && existsSync(join(folder, 'PG_VERSION'))) return undefined;
  const { dataDir } = await import('@electric-sql/pglite-prepopulatedfs');
  return dataDir();
}

async function runOn(
  connection: Pick<PGlite, 'query'>,
  { text, values, settings }: BoundStatement,
): Promise<{ rows: unknown[] }> {
  if (settings !== undefined) await connection.query(settings.text, [...settings.values]);
  return connection.query(text, [...values]);
}
