import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, readFileSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqlOn, withClient } from '../database/client.ts';
import type { RunSql } from '../database/client.ts';
import { findFreePort } from '../http/listen.ts';
import { succeeds, until } from './until.ts';

const DEBIAN_POSTGRESQL_DIR = '/usr/lib/postgresql';
const binDirectories = [
  ...(existsSync(DEBIAN_POSTGRESQL_DIR)
    ? readdirSync(DEBIAN_POSTGRESQL_DIR).toSorted((a, b) => Number(b) - Number(a))
    : []
  ).map((version) => join(DEBIAN_POSTGRESQL_DIR, version, 'bin')),
  ...(process.env['PATH'] ?? '').split(':'),
];
/** Directory of the PostgreSQL programs. */
export const binDirectory = binDirectories.find((folder) => existsSync(join(folder, 'initdb')));

/** True if PostgreSQL is installed. Always true with CI set, so that a missing PostgreSQL fails the tests. */
export const hasPostgreSql = binDirectory !== undefined || process.env['CI'] === 'true';

/** User for PostgreSQL and PgBouncer, which reject root: if the tests run as root, the user `postgres`. */
const postgresId = (kind: '-u' | '-g') => Number(execFileSync('id', [kind, 'postgres']));
export const postgresUser = () => (process.getuid?.() === 0 ? { uid: postgresId('-u'), gid: postgresId('-g') } : {});

/** Creates a temporary directory owned by that user. */
export async function createOwnedDirectory(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `${name}-`));
  const { uid, gid } = { uid: undefined, gid: undefined, ...postgresUser() };
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  return folder;
}

function runProgram(program: string, args: string[]): void {
  execFileSync(join(binDirectory ?? '', program), args, { ...postgresUser(), cwd: '/', stdio: 'pipe' });
}

/** Starts a separate PostgreSQL server that a test can stop, freeze, restart and replicate. */
export async function startPostgreSql(settings: Record<string, string> = {}) {
  const folder = await createOwnedDirectory('cluster');
  runProgram('initdb', ['-D', folder, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N']);
  return startServer(folder, settings);
}

export type PostgreSqlServer = Awaited<ReturnType<typeof startPostgreSql>>;

async function startServer(folder: string, settings: Record<string, string>) {
  const port = await findFreePort();
  const url = `postgresql://postgres@127.0.0.1:${port}/postgres`;
  const allSettings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    shared_buffers: '16MB',
    ...settings,
  };
  const options = Object.entries(allSettings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  let postmaster: ChildProcess;

  /** Runs SQL on a new connection. */
  const sql: RunSql = (...query) =>
    withClient({ connectionString: url, connectionTimeoutMillis: 3000 }, (client) => sqlOn(client)(...query));

  async function start(): Promise<void> {
    const args = ['-D', folder, '-p', String(port), ...options];
    postmaster = spawn(join(binDirectory ?? '', 'postgres'), args, { ...postgresUser(), cwd: '/', stdio: 'ignore' });
    await until(() => succeeds(sql('select 1')), 'PostgreSQL: a connection', 60_000);
  }

  async function shutDown(shutdownSignal: NodeJS.Signals): Promise<void> {
    if (postmaster.exitCode !== null || postmaster.signalCode !== null) return;
    const exited = once(postmaster, 'exit');
    postmaster.kill(shutdownSignal);
    await exited;
  }

  /** Sends a signal to the postmaster and all its child processes. */
  function signalAll(name: NodeJS.Signals): void {
    const parent = Number(postmaster.pid);
    for (const pid of [parent, ...childPids(parent)]) process.kill(pid, name);
  }

  await start();
  return {
    url,
    sql,
    start,
    /** Immediate shutdown (https://www.postgresql.org/docs/current/server-shutdown.html). */
    stop: () => shutDown('SIGQUIT'),
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    /** Starts a hot standby of this server. */
    async standby(standbySettings: Record<string, string> = {}) {
      const copy = await createOwnedDirectory('standby');
      runProgram('pg_basebackup', ['-D', copy, '-R', '-X', 'stream', '-c', 'fast', '-d', url]);
      return startServer(copy, standbySettings);
    },
    remove: async () => {
      await shutDown('SIGQUIT');
      await rm(folder, { recursive: true });
    },
  };
}

/** Ids of the processes that a process started. */
export const childPids = (parent: number): number[] =>
  readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && parentPid(pid) === parent)
    .map(Number);

function parentPid(pid: string): number | undefined {
  try {
    // State and parent pid follow the process name, which may contain any characters (man 5 proc).
    return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
  } catch {
    return undefined; // the process has exited
  }
}

/** Returns false for a zombie process, too. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
