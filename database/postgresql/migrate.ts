import { DatabaseError } from 'pg';
import { knownMigrations } from '../orm/migrations.ts';
import { grantStatements } from '../orm/privileges.ts';
import type { execute } from './execute.ts';

/** undefined_table and insufficient_privilege: no table exists yet, or the role may not read it. */
const NOT_MIGRATED_CODES = new Set(['42P01', '42501']);

/** Key of the advisory lock for migrations: an arbitrary number that no other application uses. */
const MIGRATION_LOCK_ID = 7_305_020_149;

type RunQuery = (name: string, text: string) => ReturnType<typeof execute>;

/** True if all migrations are applied. Most starts then need not load the ORM. */
export async function isMigrated(query: RunQuery): Promise<boolean> {
  const applied = await query('migrations', 'select name from mikro_orm_migrations').catch((error: unknown) => {
    if (error instanceof DatabaseError && NOT_MIGRATED_CODES.has(error.code ?? '')) return { rows: [] };
    throw error;
  });
  const names = new Set(applied.rows.map(({ name }) => name));
  return (await knownMigrations()).every((name) => names.has(name));
}

/**
 * Applies pending migrations on separate connections without timeouts.
 * If the service uses another role than the owner, grants this role its privileges.
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
      holder.release(true); // closing the connection releases the lock
    }
  } finally {
    await orm.close();
  }
}
