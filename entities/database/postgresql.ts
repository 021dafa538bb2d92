import { MikroORM } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import { databaseOf } from './database.ts';
import type { Database } from './database.ts';
import { ormOptions } from './options.ts';

/** Milliseconds after which a caller is told 503 instead of waiting on. */
const TIMEOUTS = { connectionTimeoutMillis: 3000, query_timeout: 5000, statement_timeout: 4500, lock_timeout: 2000 };

/** Any number that only this service uses: the advisory lock under which migrations are applied. */
const MIGRATION_LOCK = 7_305_020_149;

/** Opens a pool on PostgreSQL 15 or newer. Connects at first use. */
export async function openPostgreSql(url: string): Promise<Database> {
  const { promise: pool, resolve: onPoolCreated } = Promise.withResolvers<Pool>();
  const orm = await MikroORM.init({ ...ormOptions, clientUrl: url, driverOptions: { ...TIMEOUTS, onPoolCreated } });
  orm.em.getConnection().getClient(); // makes the pool, and connects nowhere yet
  const made = await pool;
  return databaseOf(
    orm,
    (name, text, values) => made.query({ name, text, values }),
    () => migrate(url),
  );
}

/** Applies what is pending over connections of its own, which may wait and work as long as it takes. */
async function migrate(url: string): Promise<void> {
  const orm = await MikroORM.init({ ...ormOptions, clientUrl: url, pool: { max: 2 } });
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
