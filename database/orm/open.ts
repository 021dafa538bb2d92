import type { MikroORM } from '@mikro-orm/postgresql';
import type { ConnectionPool } from '../connection/connection-pool.ts';
import { kyselyPool } from '../connection/kysely-pool.ts';

/**
 * Opens the ORM over a pool. Loads it for the first unit of work, because hot paths do not need it.
 * @param clientUrl names the database; the pool connects to it
 * @param begin maps the SQL that begins a transaction
 */
export async function openOrm(
  clientUrl: string,
  pool: ConnectionPool,
  begin?: (text: string) => string,
): Promise<MikroORM> {
  const [{ MikroORM: Orm }, { PostgresDialect }, { ormOptions }] = await Promise.all([
    import('@mikro-orm/postgresql'),
    import('kysely'),
    import('./options.ts'),
  ]);
  return Orm.init({
    ...ormOptions,
    clientUrl,
    driverOptions: new PostgresDialect({ pool: kyselyPool(pool, begin) }),
  });
}
