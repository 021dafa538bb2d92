import { MikroORM } from '@mikro-orm/postgresql';
import type { Pool, PoolClient } from 'pg';
import { Database } from './database.ts';
import { listen } from './listen.ts';
import { ormOptions } from './options.ts';

/** Milliseconds after which a caller is told 503 instead of waiting on. */
const TIMEOUTS = { connectionTimeoutMillis: 3000, query_timeout: 5000, statement_timeout: 4500, lock_timeout: 2000 };

/** Enough to keep the server's cores busy; more wait in the pool rather than in PostgreSQL. */
const CONNECTIONS = 10;

/** Dates are read and recorded in one form, whatever the server's settings are. */
const FORMS = { options: '-c datestyle=ISO -c timezone=UTC' };

/**
 * A connection that dies inside a transaction never gives its place in the pool back (kysely-org/kysely#1990). So it is
 * given back here, where somebody holds it; when that one gives it back as well, nothing is left to do.
 */
function giveBack(pool: Pool): void {
  const held = new WeakSet<PoolClient>();
  pool.on('acquire', (client) => held.add(client));
  pool.on('release', (_, client) => held.delete(client));
  pool.on('connect', (client) => {
    client.on('error', () => {
      if (!held.has(client)) return;
      client.release(true);
      client.release = () => {};
    });
  });
}

/** Any number that only this service uses: the advisory lock under which migrations are applied. */
const MIGRATION_LOCK = 7_305_020_149;

/**
 * Opens a pool on PostgreSQL 15 or newer. Connects at first use.
 * @param connections at most so many at once
 */
export async function openPostgreSql(url: string, connections = CONNECTIONS): Promise<Database> {
  const { promise, resolve: onPoolCreated } = Promise.withResolvers<Pool>();
  const driverOptions = { ...TIMEOUTS, ...FORMS, onPoolCreated, max: connections };
  const orm = await MikroORM.init({ ...ormOptions, clientUrl: url, driverOptions });
  orm.em.getConnection().getClient(); // makes the pool, and connects nowhere yet
  const pool = await promise;
  giveBack(pool);
  return new Database({
    orm,
    run: (name, text, values) => pool.query({ name, text, values }),
    migrate: () => migrate(url),
    listen: (keysChanged) => listen(url, keysChanged),
  });
}

/** Applies what is pending over connections of its own, which may wait and work as long as it takes. */
async function migrate(url: string): Promise<void> {
  const orm = await MikroORM.init({ ...ormOptions, clientUrl: url, pool: { max: 2 }, driverOptions: FORMS });
  try {
    const pool = await orm.em.getConnection().getNativeClient();
    const holder = await pool.connect();
    try {
      await holder.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
      await orm.migrator.up();
    } finally {
      holder.release(true); // closing the connection gives up the lock, whatever happened
    }
  } finally {
    await orm.close();
  }
}
