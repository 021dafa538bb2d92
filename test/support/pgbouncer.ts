import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { vi } from 'vitest';
import { owner, ownedFolder } from './cluster.ts';
import { freePort } from './redis.ts';

const PATH = `${process.env['PATH'] ?? ''}:/usr/sbin`;

/** Whether this machine has a PgBouncer to start. The gate sets CI, where a missing one is a failure. */
export const hasPgBouncer =
  spawnSync('pgbouncer', ['--version'], { env: { PATH } }).status === 0 || process.env['CI'] === 'true';

/** A PgBouncer in transaction mode before the database of this URL, with so many connections to it. */
export async function pgBouncer(databaseUrl: string, connections: number) {
  const folder = await ownedFolder('pgbouncer');
  const port = await freePort();
  const { hostname, port: behind, pathname, username, password } = new URL(databaseUrl);
  const name = pathname.slice(1);
  const settings = join(folder, 'pgbouncer.ini');
  await writeFile(join(folder, 'users'), `"${username}" "${password}"\n`);
  await writeFile(
    settings,
    `[databases]
${name} = host=${hostname} port=${behind || 5432} dbname=${name}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, 'users')}
pool_mode = transaction
default_pool_size = ${connections}
max_client_conn = 200
`,
  );
  const child = spawn('pgbouncer', [settings], { ...owner(), env: { PATH }, stdio: 'ignore' });
  await once(child, 'spawn');
  const url = new URL(databaseUrl);
  url.port = String(port);

  /** Runs SQL as a client of its own, with nothing set. */
  async function sql<Row = Record<string, unknown>>(text: string): Promise<Row[]> {
    const client = new Client({ connectionString: url.href, connectionTimeoutMillis: 3000 });
    client.on('error', () => {});
    try {
      await client.connect();
      return (await client.query(text)).rows as Row[];
    } finally {
      await client.end().catch(() => {});
    }
  }

  const answers = () =>
    sql('select').then(
      () => true,
      () => false,
    );
  await vi.waitUntil(answers, { timeout: 20_000, interval: 50 });
  return {
    url: url.href,
    sql,
    async stop(): Promise<void> {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
      await rm(folder, { recursive: true });
    },
  };
}
