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
 * PGlite has one connection, and Kysely's driver hands it to everybody at once: a query of one request would join
 * the transaction that another has open. Here whoever has it keeps it until it is released.
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

/** Dates and times reach the ORM and the statements as PostgreSQL writes them, as with the other driver. */
const keepText = (text: string) => text;
const DATE_PARSERS = { [types.DATE]: keepText, [types.TIMESTAMPTZ]: keepText };

/** PGlite's own user is a superuser, whom no policy keeps out: the service goes by this role instead. */
const SERVICE_ROLE = 'compliance_app';
const SUPERUSER = 'postgres';

/** Opens the embedded database in a folder that this process has to itself, or in memory. */
export async function openPglite(folder?: string): Promise<Database> {
  const pglite = new LosslessPGlite({ dataDir: folder ?? 'memory://', parsers: DATE_PARSERS });
  await pglite.waitReady;
  const orm = await MikroORM.init({ ...ormOptions, driverOptions: new SerialDialect(pglite) });
  const setServiceRole = () => pglite.exec(`set role ${SERVICE_ROLE}`);
  if ((await pglite.query('select from pg_roles where rolname = $1', [SERVICE_ROLE])).rows.length > 0)
    await setServiceRole();
  return new Database({
    openOrm: async () => orm,
    run: (bound) =>
      bound.settings === undefined ? runOn(pglite, bound) : pglite.transaction((own) => runOn(own, bound)),
    // It keeps everybody else waiting until it ends, so nothing in it may wait for a statement outside.
    transaction: (work) => pglite.transaction((own) => work((bound) => runOn(own, bound))),
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

async function runOn(
  connection: Pick<PGlite, 'query'>,
  { text, values, settings }: BoundStatement,
): Promise<{ rows: unknown[] }> {
  if (settings !== undefined) await connection.query(settings.text, [...settings.values]);
  return connection.query(text, [...values]);
}
