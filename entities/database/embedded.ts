import { types } from '@electric-sql/pglite';
import type { PGlite } from '@electric-sql/pglite';
import { MikroORM } from '@mikro-orm/pglite';
import { PGliteDialect, PGliteDriver } from 'kysely';
import type { DatabaseConnection, Driver } from 'kysely';
import { Database } from './database.ts';
import { databaseFiles } from './files.ts';
import { grantsTo } from './grants.ts';
import { LosslessPGlite } from './lossless-pglite.ts';
import { ormOptions } from './options.ts';
import type { Bound } from './statement.ts';

/**
 * PGlite has one connection, and Kysely's driver hands it to everybody at once: a query of one request would join
 * the transaction that another has open. Here whoever has it keeps it until it is released.
 */
class OneAtATimeDriver extends PGliteDriver {
  #turn: Promise<void> = Promise.resolve();
  #release: (() => void) | undefined;

  override async acquireConnection(): Promise<DatabaseConnection> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.#turn;
    this.#turn = promise;
    await before;
    this.#release = resolve;
    return super.acquireConnection();
  }

  override async releaseConnection(): Promise<void> {
    this.#release?.();
  }
}

class OneAtATimeDialect extends PGliteDialect {
  readonly #pglite: PGlite;

  constructor(pglite: PGlite) {
    super({ pglite });
    this.#pglite = pglite;
  }

  override createDriver(): Driver {
    return new OneAtATimeDriver({ pglite: this.#pglite });
  }
}

/** Dates and times reach the ORM and the statements as PostgreSQL writes them, as with the other driver. */
const asText = (text: string) => text;
const AS_TEXT = { [types.DATE]: asText, [types.TIMESTAMPTZ]: asText };

/** PGlite's own user is a superuser, whom no policy keeps out: the service goes by this role instead. */
const ROLE = 'compliance_app';
const SUPERUSER = 'postgres';

/** Opens the embedded database in a folder that this process has to itself, or in memory. */
export async function openEmbedded(folder?: string): Promise<Database> {
  const pglite = new LosslessPGlite({ dataDir: folder ?? 'memory://', parsers: AS_TEXT });
  await pglite.waitReady;
  const orm = await MikroORM.init({ ...ormOptions, driverOptions: new OneAtATimeDialect(pglite) });
  const takeRole = () => pglite.exec(`set role ${ROLE}`);
  if ((await pglite.query('select from pg_roles where rolname = $1', [ROLE])).rows.length > 0) await takeRole();
  return new Database({
    openOrm: async () => orm,
    run: (bound) => (bound.told === undefined ? runIn(pglite, bound) : pglite.transaction((own) => runIn(own, bound))),
    // It keeps everybody else waiting until it ends, so nothing in it may wait for a statement outside.
    transaction: (work) => pglite.transaction((own) => work((bound) => runIn(own, bound))),
    migrate: async () => {
      await pglite.exec('reset role');
      const applied = await orm.migrator.up();
      if (applied.length > 0) {
        await pglite.exec(`do $$ begin create role ${ROLE}; exception when duplicate_object then null; end $$`);
        await pglite.exec(grantsTo(ROLE));
        await pglite.exec('revoke temporary on database postgres from public');
      }
      await takeRole();
    },
    isMigrated: async () => (await orm.migrator.getPending()).length === 0,
    tooWeak: async () => undefined,
    tooStrong: async () => undefined,
    ...(folder !== undefined && { files: databaseFiles(pglite, folder, SUPERUSER) }),
    listen: (keysChanged) => pglite.listen('api_key_changed', keysChanged),
    close: () => orm.close(),
  });
}

async function runIn(connection: Pick<PGlite, 'query'>, { text, values, told }: Bound): Promise<{ rows: unknown[] }> {
  if (told !== undefined) await connection.query(told.text, [...told.values]);
  return connection.query(text, [...values]);
}
