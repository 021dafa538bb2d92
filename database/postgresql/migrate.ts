import { DatabaseError } from 'pg';
import { knownMigrations } from '../orm/migrations.ts';
import { grantStatements } from '../orm/privileges.ts';
import type { execute } from './execute.ts';

/** SQLSTATEs of a database that has no tables yet, or whose tables this role may not read. */
const NOT_MIGRATED_CODES = new Set(['42P01', '42501']);

/** Any number that only this service uses: the advisory lock under which migrations are applied. */
const MIGRATION_LOCK_ID = 7_305_020_149;

type RunQuery = (name: string, text: string) => ReturnType<typeof execute>;

/** Whether all migrations were applied: most starts find it so, and need not load what applies them. */
export async function isMigrated(query: RunQuery): Promise<boolean> {
  const applied = await query('migrations', 'select name from mikro_orm_migrations').catch((error: unknown) => {
    if (error instanceof DatabaseError && NOT_MIGRATED_CODES.has(error.code ?? '')) return { rows: [] };
    throw error;
  });
  const names = new Set(applied.rows.map(({ name }) => name));
  return (await knownMigrations()).every((name) => names.has(name));
}

/**
 * Applies what is pending over connections of its own, which may wait and work as long as it takes, and lets the role of
 * the service to the tables, where it is another.
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
      await orm.migrator.up();
      const { rows } = await holder.query<{ owner: string }>('select current_user as owner');
      if (rows[0]?.owner !== role) await holder.query(grantStatements(role));
    } finally {
      holder.release(true); // closing the connection gives up the lock, whatever happened
    }
  } finally {
    await orm.close();
  }
}
