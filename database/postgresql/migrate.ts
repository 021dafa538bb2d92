import { inspectData } from '../upgrade/inspect.ts';
import { grantStatements } from '../orm/privileges.ts';

/** Key of the advisory lock for migrations: an arbitrary number that no other application uses. */
const MIGRATION_LOCK_ID = 7_305_020_149;

/**
 * Applies pending migrations on separate connections without timeouts.
 * If the service uses another role than the owner, grants this role its privileges.
 * @throws IncompatibleDataError if this version cannot run on the data
 */
export async function migrate(url: string, role: string, driverOptions: object): Promise<void> {
  const [{ MikroORM: Orm }, { ormOptions }] = await Promise.all([
    import('@mikro-orm/postgresql'),
    import('../orm/options.ts'),
  ]);
  const orm = await Orm.init({ ...ormOptions, clientUrl: url, pool: { max: 2 }, driverOptions });
  try {
    const pool = await orm.em.getConnection().getNativeClient();
    const holder = await pool.connect();
    try {
      await holder.query('select pg_advisory_lock($1)', [MIGRATION_LOCK_ID]);
      await inspectData((_, text) => holder.query(text));
      await orm.migrator.up();
      const { rows } = await holder.query<{ owner: string }>('select current_user as owner');
      if (rows[0]?.owner !== role) await holder.query(grantStatements(role));
    } finally {
      holder.release(true); // closing the connection releases the lock
    }
  } finally {
    await orm.close();
  }
}
