import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, readFileSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { vi } from 'vitest';
import { freePort } from './redis.ts';

const DEBIAN = '/usr/lib/postgresql';
const folders = [
  ...(existsSync(DEBIAN) ? readdirSync(DEBIAN).toSorted((one, other) => Number(other) - Number(one)) : []).map(
    (version) => join(DEBIAN, version, 'bin'),
  ),
  ...(process.env['PATH'] ?? '').split(':'),
];
/** Where the programs of PostgreSQL are. */
export const programs = folders.find((folder) => existsSync(join(folder, 'initdb')));

/** Whether this machine has a PostgreSQL to start. The gate sets CI, where a missing one is a failure. */
export const hasPostgreSql = programs !== undefined || process.env['CI'] === 'true';

/** Neither PostgreSQL nor PgBouncer runs as root: as root, they are run as PostgreSQL's own user. */
const idOf = (kind: '-u' | '-g') => Number(execFileSync('id', [kind, 'postgres']));
export const owner = () => (process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {});

/** A folder of its own for what runs as that user. */
export async function ownedFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `${name}-`));
  const { uid, gid } = { uid: undefined, gid: undefined, ...owner() };
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  return folder;
}

function call(program: string, args: string[]): void {
  execFileSync(join(programs ?? '', program), args, { ...owner(), cwd: '/', stdio: 'pipe' });
}

/** A PostgreSQL of the test's own, to be stopped, frozen, started again and followed by a standby. */
export async function cluster(settings: Record<string, string> = {}) {
  const folder = await ownedFolder('cluster');
  call('initdb', ['-D', folder, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N']);
  return serverOn(folder, settings);
}

export type Cluster = Awaited<ReturnType<typeof cluster>>;

async function serverOn(folder: string, settings: Record<string, string>) {
  const port = await freePort();
  const url = `postgresql://postgres@127.0.0.1:${port}/postgres`;
  const all = { listen_addresses: '127.0.0.1', unix_socket_directories: '', shared_buffers: '16MB', ...settings };
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  let postmaster: ChildProcess;

  /** Runs SQL on a connection of its own. */
  async function sql<Row = Record<string, unknown>>(text: string, ...values: unknown[]): Promise<Row[]> {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 3000 });
    client.on('error', () => {});
    try {
      await client.connect();
      const { rows } = await client.query(text, values);
      return rows as Row[];
    } finally {
      await client.end().catch(() => {});
    }
  }

  async function start(): Promise<void> {
    const args = ['-D', folder, '-p', String(port), ...options];
    postmaster = spawn(join(programs ?? '', 'postgres'), args, { ...owner(), cwd: '/', stdio: 'ignore' });
    await vi.waitUntil(
      () =>
        sql('select 1').then(
          () => true,
          () => false,
        ),
      { timeout: 60_000, interval: 50 },
    );
  }

  async function end(how: NodeJS.Signals): Promise<void> {
    if (postmaster.exitCode !== null || postmaster.signalCode !== null) return;
    const gone = once(postmaster, 'exit');
    postmaster.kill(how);
    await gone;
  }

  /** Of the postmaster and all that it has started. */
  function signal(name: NodeJS.Signals): void {
    const parent = postmaster.pid;
    const children = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && parentOf(pid) === parent);
    for (const pid of [Number(parent), ...children.map(Number)]) process.kill(pid, name);
  }

  await start();
  return {
    url,
    sql,
    start,
    /** At once, without a farewell to anybody. */
    stop: () => end('SIGQUIT'),
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    /** One that follows this one, and can be read. */
    async standby(more: Record<string, string> = {}) {
      const copy = await ownedFolder('standby');
      call('pg_basebackup', ['-D', copy, '-R', '-X', 'stream', '-c', 'fast', '-d', url]);
      return serverOn(copy, more);
    },
    remove: async () => {
      await end('SIGQUIT');
      await rm(folder, { recursive: true });
    },
  };
}

function parentOf(pid: string): number | undefined {
  try {
    // Behind the name, which may hold anything: state, parent.
    return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
  } catch {
    return undefined; // it has ended meanwhile
  }
}
