import { PGlite, types } from '@electric-sql/pglite';
import { MikroORM } from '@mikro-orm/pglite';
import { PGliteDialect, PGliteDriver } from 'kysely';
import type { DatabaseConnection, Driver } from 'kysely';
import { Database } from './database.ts';
import { ormOptions } from './options.ts';

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

/** Opens the embedded database in a folder that this process has to itself, or in memory. */
export async function openEmbedded(folder?: string): Promise<Database> {
  const pglite = await PGlite.create({ dataDir: folder ?? 'memory://', parsers: AS_TEXT });
  const orm = await MikroORM.init({ ...ormOptions, driverOptions: new OneAtATimeDialect(pglite) });
  return new Database({
    orm,
    run: (_, text, values) => pglite.query(text, values),
    migrate: async () => {
      await orm.migrator.up();
    },
    listen: (keysChanged) => pglite.listen('api_key_changed', keysChanged),
  });
}
