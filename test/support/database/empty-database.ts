import { MikroORM } from '@mikro-orm/postgresql';
import type { Options } from '@mikro-orm/postgresql';
import { PostgresDialect } from 'kysely';
import { onTestFinished } from 'vitest';
import { openConnections } from '../../../database/connection/connections.ts';
import { kyselyPool, withOptions } from '../../../database/connection/kysely-pool.ts';
import { ormOptions } from '../../../database/orm/options.ts';
import { EmbeddedServer } from '../../../database/pglite/server.ts';
import { withClient } from './client.ts';
import { ownerUrl } from './database.ts';
import { createScratchDatabase } from './scratch-database.ts';

/** Milliseconds for one transaction. */
const TIMEOUT_MS = 300_000;

/** Opens an empty embedded database over the connection that a service uses. */
async function openEmbedded(options: Partial<Options>): Promise<MikroORM> {
  const server = new EmbeddedServer(undefined);
  await server.open();
  const { pool, close } = openConnections(
    { stream: server.stream, user: 'postgres', database: 'postgres' },
    { connections: 1, queryTimeoutMs: Infinity },
  );
  const inner = kyselyPool(pool);
  const connect = () => withOptions({ deadline: performance.now() + TIMEOUT_MS }, () => inner.connect());
  const driverOptions = new PostgresDialect({ pool: { ...inner, connect } });
  const orm = await MikroORM.init({ ...options, clientUrl: 'postgresql://postgres@localhost/postgres', driverOptions });
  onTestFinished(async () => {
    await orm.close();
    await close();
    await server.close();
  });
  return orm;
}

/** Opens an empty database on PostgreSQL, whose owner is subject to row-level security. */
async function openPostgreSql(server: string, options: Partial<Options>): Promise<{ orm: MikroORM; url: string }> {
  const { url, serviceUrl, drop } = await createScratchDatabase(server);
  const alter = `alter database ${new URL(url).pathname.slice(1)} owner to ${new URL(serviceUrl).username}`;
  await withClient(url, (admin) => admin.query(alter));
  const orm = await MikroORM.init({ ...options, clientUrl: serviceUrl, pool: { max: 1 } });
  onTestFinished(async () => {
    await orm.close();
    await drop();
  });
  return { orm, url: serviceUrl };
}

/** Opens an empty database of the kind of this run, until the end of the test. The URL is that of its owner on PostgreSQL. */
export async function openEmptyDatabase(
  options: Partial<Pick<Options, 'entities' | 'migrations'>> = {},
): Promise<{ orm: MikroORM; url?: string }> {
  const all = { ...ormOptions, ...options, migrations: { ...ormOptions.migrations, ...options.migrations } };
  return ownerUrl === undefined ? { orm: await openEmbedded(all) } : openPostgreSql(ownerUrl, all);
}
