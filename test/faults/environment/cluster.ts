import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { postgresBinDirectory } from './prerequisites.ts';

/** PostgreSQL does not run as root: as root, it is run as its own user. */
const isRoot = process.getuid?.() === 0;
const postgresId = (kind: '-u' | '-g') => Number(execFileSync('id', [kind, 'postgres']));
const postgresUser = isRoot ? { uid: postgresId('-u'), gid: postgresId('-g') } : {};

/** Small, and true to what it is asked: what is committed is on the disk. */
const POSTGRESQL_SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '60',
  shared_buffers: '32MB',
  fsync: 'on',
  synchronous_commit: 'on',
  restart_after_crash: 'on',
  // So that what happens around a checkpoint happens in a short run too, and a small disk has room for it.
  checkpoint_timeout: '30s',
  max_wal_size: '32MB',
  min_wal_size: '8MB',
};

/** As docs/application-role.sql has it: who owns the tables is no superuser, and who serves owns nothing. */
const ROLES = [
  'create role compliance_owner login',
  'create role compliance_app login',
  'create database compliance owner compliance_owner',
  'revoke temporary on database compliance from public',
];

/** A PostgreSQL of this suite's own, whose processes may be killed, stopped and cut off. */
export class PostgreSqlCluster {
  readonly port: number;
  readonly #dataDirectory: string;
  #postmaster: ChildProcess | undefined;
  #log = '';

  private constructor(folder: string, port: number) {
    this.#dataDirectory = folder;
    this.port = port;
  }

  /** Makes one in a folder, and starts it. */
  static async create(folder: string, port: number): Promise<PostgreSqlCluster> {
    mkdirSync(folder, { recursive: true });
    if (postgresUser.uid !== undefined) chownSync(folder, postgresUser.uid, postgresUser.gid);
    const options = ['-D', folder, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--wal-segsize=1'];
    execFileSync(`${postgresBinDirectory()}/initdb`, options, { ...postgresUser, cwd: '/', stdio: 'pipe' });
    const cluster = new PostgreSqlCluster(folder, port);
    await cluster.start();
    for (const text of ROLES) await cluster.withConnection((client) => client.query(text), 'postgres');
    return cluster;
  }

  get isRunning(): boolean {
    return this.#postmaster !== undefined && this.#postmaster.exitCode === null && this.#postmaster.signalCode === null;
  }

  /** Starts it and waits until it lets somebody in. */
  async start(): Promise<void> {
    if (!this.isRunning) {
      const settings = Object.entries(POSTGRESQL_SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
      const options = ['-D', this.#dataDirectory, '-p', String(this.port), ...settings];
      this.#postmaster = spawn(`${postgresBinDirectory()}/postgres`, options, {
        ...postgresUser,
        cwd: '/',
        stdio: 'pipe',
      });
      this.#postmaster.stderr?.on('data', (chunk) => (this.#log = `${this.#log}${String(chunk)}`.slice(-2000)));
    }
    for (let attempt = 0; attempt < 600; attempt++) {
      if (
        await this.withConnection((client) => client.query('select 1'), 'postgres').then(
          () => true,
          () => false,
        )
      )
        return;
      if (!this.isRunning) throw new Error(`PostgreSQL does not start: ${this.#log}`);
      await wait(50);
    }
    throw new Error(`PostgreSQL lets nobody in: ${this.#log}`);
  }

  /** Runs SQL as its superuser on a connection of its own. */
  async query<R>(text: string, values: unknown[]): Promise<R[]> {
    return this.withConnection(async (client) => (await client.query(text, values)).rows as R[]);
  }

  /** Its database, for one of its roles, over a port that leads to it. */
  connectionUrl(role: 'compliance_owner' | 'compliance_app', port = this.port): string {
    return `postgresql://${role}@127.0.0.1:${port}/compliance`;
  }

  /** Work on a connection of its own, as its superuser, whom no policy keeps out. */
  async withConnection<T>(work: (client: Client) => Promise<T>, database = 'compliance'): Promise<T> {
    const client = new Client({
      connectionString: `postgresql://postgres@127.0.0.1:${this.port}/${database}`,
      application_name: APPLICATION_NAME,
      options: '-c datestyle=ISO -c timezone=UTC',
      connectionTimeoutMillis: 5000,
    });
    client.on('error', () => {});
    try {
      await client.connect();
      return await work(client);
    } finally {
      await client.end().catch(() => {});
    }
  }

  /** kill -9 of all its processes: nobody cleans up, and the next start recovers from the log. */
  async kill(): Promise<void> {
    if (!this.isRunning || this.#postmaster === undefined) return;
    const exit = once(this.#postmaster, 'exit');
    const children = this.#signal('SIGKILL');
    await exit;
    // While one of them is left, none can be started in its folder.
    while (children.some(isAlive)) await wait(20);
  }

  /** kill -9 of one process that serves somebody: the others are ended too, and it recovers by itself. */
  async killBackend(): Promise<void> {
    const [backend] = await this.query<{ pid: number }>(
      `select pid from pg_stat_activity where ${IS_SERVICE_BACKEND} order by random() limit 1`,
      [],
    );
    if (backend === undefined) throw new Error('nobody is served');
    process.kill(backend.pid, 'SIGKILL');
  }

  /** Stops all its processes where they are, as a machine does that swaps or moves. */
  freeze(): void {
    this.#signal('SIGSTOP');
  }

  thaw(): void {
    this.#signal('SIGCONT');
  }

  /** How many connections of the service there are. */
  async countConnections(condition = 'true'): Promise<number> {
    const [row] = await this.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity where ${IS_SERVICE_BACKEND} and ${condition}`,
      [],
    );
    return row?.n ?? 0;
  }

  /** @returns how many were ended */
  async terminateBackends(): Promise<number> {
    const [row] = await this.query<{ n: number }>(
      `select count(pg_terminate_backend(pid))::int as n from pg_stat_activity where ${IS_SERVICE_BACKEND}`,
      [],
    );
    return row?.n ?? 0;
  }

  /** @returns its processes but the postmaster, which is stopped first: so it starts none that is not in the list */
  #signal(signal: NodeJS.Signals): number[] {
    const pid = this.#postmaster?.pid;
    if (pid === undefined) return [];
    process.kill(pid, 'SIGSTOP');
    const children = childPids(pid);
    for (const one of [pid, ...children]) {
      try {
        process.kill(one, signal);
      } catch {
        // it has ended meanwhile
      }
    }
    return children;
  }
}

/** Whether it is there, and not only waiting for its parent to notice its end. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

const APPLICATION_NAME = 'faults';
const IS_SERVICE_BACKEND = `backend_type = 'client backend' and application_name <> '${APPLICATION_NAME}'`;

function childPids(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return (
          readFileSync(`/proc/${name}/stat`, 'utf8')
            .replace(/^.*\) /, '')
            .split(' ')[1] === String(parent)
        );
      } catch {
        return false; // it has ended meanwhile
      }
    })
    .map(Number);
}
