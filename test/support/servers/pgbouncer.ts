import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sqlOn, withClient } from '../database/client.ts';
import type { RunSql } from '../database/client.ts';
import { createOwnedDirectory, postgresUser } from './postgresql.ts';
import { findFreePort } from '../http/listen.ts';
import { succeeds, until } from './until.ts';

/** Debian installs servers in `/usr/sbin`. */
export const SEARCH_PATH = `${process.env['PATH'] ?? ''}:/usr/sbin`;

/** First version that tracks prepared statements in transaction mode. */
const MIN_VERSION = '1.21';

const { stdout } = spawnSync('pgbouncer', ['--version'], { env: { PATH: SEARCH_PATH }, encoding: 'utf8' });
const version = /^PgBouncer (\S+)/m.exec(stdout ?? '')?.[1] ?? '0';

/** True if this machine has PgBouncer 1.21 or newer. The gate sets CI, so a missing or older one fails the tests. */
export const hasPgBouncer =
  version.localeCompare(MIN_VERSION, 'en', { numeric: true }) >= 0 || process.env['CI'] === 'true';

const SETTINGS = { pool_mode: 'transaction', max_client_conn: 200, max_prepared_statements: 200 };

/**
 * Starts a PgBouncer before the database of this URL, in transaction mode, with `poolSize` connections to it.
 * @param settings further settings, or other values
 */
export async function startPgBouncer(
  databaseUrl: string,
  poolSize: number,
  settings: Record<string, number | string> = {},
) {
  const folder = await createOwnedDirectory('pgbouncer');
  const port = await findFreePort();
  const { hostname, port: upstreamPort, pathname, username, password } = new URL(databaseUrl);
  const name = pathname.slice(1);
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(join(folder, 'users'), `"${username}" "${password}"\n`);
  await writeFile(
    file,
    `[databases]
${name} = host=${hostname} port=${upstreamPort || 5432} dbname=${name}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, 'users')}
${Object.entries({ ...SETTINGS, default_pool_size: poolSize, ...settings })
  .map(([setting, value]) => `${setting} = ${value}\n`)
  .join('')}`,
  );
  const start = async () => {
    const started = spawn('pgbouncer', [file], { ...postgresUser(), env: { PATH: SEARCH_PATH }, stdio: 'ignore' });
    await once(started, 'spawn');
    return started;
  };
  let child = await start();
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  const url = new URL(databaseUrl);
  url.port = String(port);

  /** Runs SQL on a new connection without session settings. */
  const sql: RunSql = (...query) =>
    withClient({ connectionString: url.href, connectionTimeoutMillis: 3000 }, (client) => sqlOn(client)(...query));

  await until(() => succeeds(sql('select')), 'PgBouncer: a connection', 120_000);
  return {
    url: url.href,
    sql,
    kill,
    restart: async () => {
      child = await start();
    },
    async stop(): Promise<void> {
      await kill();
      await rm(folder, { recursive: true });
    },
  };
}
