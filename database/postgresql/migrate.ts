import { setTimeout as wait } from 'node:timers/promises';
import { inspectData } from '../upgrade/inspect.ts';
import { grantStatements } from '../orm/privileges.ts';
import { connectionConfig } from './connection-url.ts';
import { SESSION_OPTIONS } from './startup-parameters.ts';

/** Key of the advisory lock for migrations: an arbitrary number that no other application uses. */
export const MIGRATION_LOCK_ID = 7_305_020_149;
/** Milliseconds between two attempts to take the lock. */
const LOCK_POLL_MS = 200;

/**
 * Applies pending migrations on a connection of its own, without timeouts of requests.
 * If the service uses another role than the owner, grants this role its privileges.
 * @throws IncompatibleDataError if this version cannot run on the data
 */
export async function migrate(url: string, role: string): Promise<void> {
  const [{ MikroORM: Orm }, { ormOptions }] = await Promise.all([
    import('@mikro-orm/postgresql'),
    import('../orm/options.ts'),
  ]);
  // One connection, which is never closed as idle: its lock is released when it ends, also by a kill, and when its last statement
  // ends on the server.
  const orm = await Orm.init({
    ...ormOptions,
    clientUrl: url, // names the database; the driver connects with the options
    pool: { min: 1, max: 1, idleTimeoutMillis: 0 },
    driverOptions: { ...connectionConfig(url), ...SESSION_OPTIONS },
  });
  try {
    const connection = orm.em.getConnection();
    const tryLock = `select pg_try_advisory_lock(${MIGRATION_LOCK_ID}) as locked, current_user as owner`;
    const lock = () => connection.execute<{ locked: boolean; owner: string }>(tryLock, [], 'get');
    let state = await lock();
    // A wait inside PostgreSQL would be a transaction, for which `create index concurrently` of the other process waits.
    for (; !state.locked; state = await lock()) await wait(LOCK_POLL_MS);
    await inspectData(async (_, text) => ({ rows: await connection.execute(text, [], 'all') }));
    await orm.migrator.up();
    if (state.owner !== role) await connection.execute(grantStatements(role), [], 'run');
  } finally {
    await orm.close();
  }
}
