import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from 'pg';
import { withClient } from '../../../support/database/client.ts';
import { binDirectory, childPids, isAlive, postgresUser } from '../../../support/servers/postgresql.ts';
import { succeeds } from '../../../support/servers/until.ts';

/** A small server with full durability: committed data is on the disk. */
const POSTGRESQL_SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '60',
  shared_buffers: '32MB',
  fsync: 'on',
  synchronous_commit: 'on',
  restart_after_crash: 'on',
  // Frequent checkpoints occur in a short run too, and the WAL fits on a small disk.
  checkpoint_timeout: '30s',
  max_wal_size: '32MB',
  min_wal_size: '8MB',
};

/** Roles of docs/application-role.sql: the table owner is not a superuser, and the service role owns no objects. */
export const ROLES = [
  'create role compliance_owner login',
  'create role compliance_app login',
  'create database compliance owner compliance_owner',
  'revoke temporary on database compliance from public',
];

/** A PostgreSQL server that belongs to this suite. The suite may kill, stop and disconnect its processes. */
export class PostgreSqlCluster {
  readonly port: number;
  readonly #dataDirectory: string;
  #postmaster: ChildProcess | undefined;
  #log = '';

  private constructor(folder: string, port: number) {
    this.#dataDirectory = folder;
    this.port = port;
  }

  /** Runs initdb in a folder and starts the server. */
  static async create(folder: string, port: number): Promise<PostgreSqlCluster> {
    mkdirSync(folder, { recursive: true });
    const { uid, gid } = { uid: undefined, gid: undefined, ...postgresUser() };
    if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
    const options = ['-D', folder, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--wal-segsize=1'];
    execFileSync(`${binDirectory}/initdb`, options, { ...postgresUser(), cwd: '/', stdio: 'pipe' });
    const cluster = new PostgreSqlCluster(folder, port);
    await cluster.start();
    for (const text of ROLES) await cluster.withConnection((client) => client.query(text), 'postgres');
    return cluster;
  }

  get isRunning(): boolean {
    return this.#postmaster !== undefined && this.#postmaster.exitCode === null && this.#postmaster.signalCode === null;
  }

  /** Starts the server unless it runs, and waits until it accepts connections. */
  async start(): Promise<void> {
    if (!this.isRunning) {
      const settings = Object.entries(POSTGRESQL_SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
      const options = ['-D', this.#dataDirectory, '-p', String(this.port), ...settings];
      this.#postmaster = spawn(`${binDirectory}/postgres`, options, {
        ...postgresUser(),
        cwd: '/',
        stdio: 'pipe',
      });
      this.#postmaster.stderr?.on('data', (chunk) => (this.#log = `${this.#log}${String(chunk)}`.slice(-2000)));
    }
    for (let attempt = 0; attempt < 600; attempt++) {
      if (await succeeds(this.withConnection((client) => client.query('select 1'), 'postgres'))) return;
      if (!this.isRunning) throw new Error(`PostgreSQL does not start: ${this.#log}`);
      await wait(50);
    }
    throw new Error(`PostgreSQL accepts no connections: ${this.#log}`);
  }

  /** Connection URL of the database for a role. The port may be the port of a proxy. */
  connectionUrl(role: 'compliance_owner' | 'compliance_app', port = this.port): string {
    return `postgresql://${role}@127.0.0.1:${port}/compliance`;
  }

  /** Runs `work` with a new connection of the superuser, who bypasses row-level security. */
  withConnection<T>(work: (client: Client) => Promise<T>, database = 'compliance'): Promise<T> {
    const config = {
      connectionString: `postgresql://postgres@127.0.0.1:${this.port}/${database}`,
      application_name: APPLICATION_NAME,
      options: '-c datestyle=ISO -c timezone=UTC',
      connectionTimeoutMillis: 5000,
    };
    return withClient(config, work);
  }

  /** Sends SIGKILL to all processes of the server. The next start recovers from the WAL. */
  async kill(): Promise<void> {
    if (!this.isRunning || this.#postmaster === undefined) return;
    const exit = once(this.#postmaster, 'exit');
    const children = this.#signal('SIGKILL');
    await exit;
    // PostgreSQL does not start in a data directory that a remaining process uses.
    while (children.some(isAlive)) await wait(20);
  }

  /** Sends SIGKILL to one backend of the service. The postmaster then ends all backends and runs crash recovery. */
  async killBackend(): Promise<void> {
    const pid = await this.#query('(array_agg(pid order by random()))[1]');
    if (pid === 0) throw new Error('the service has no connection');
    process.kill(pid, 'SIGKILL');
  }

  /** Suspends all processes of the server, as when a virtual machine is paused or swaps. */
  freeze(): void {
    this.#signal('SIGSTOP');
  }

  thaw(): void {
    this.#signal('SIGCONT');
  }

  /** Counts the connections of the service. */
  countConnections(condition?: string): Promise<number> {
    return this.#query('count(*)::int', condition);
  }

  /** @returns the number of terminated backends */
  terminateBackends(): Promise<number> {
    return this.#query('count(pg_terminate_backend(pid))::int');
  }

  /** Evaluates an aggregate over the backends of the service. @returns 0 without a backend */
  async #query(aggregate: string, condition = 'true'): Promise<number> {
    const text = `select ${aggregate} as n from pg_stat_activity where ${IS_SERVICE_BACKEND} and ${condition}`;
    const { rows } = await this.withConnection((client) => client.query<{ n: number | null }>(text));
    return rows[0]?.n ?? 0;
  }

  /** @returns the child processes. The postmaster is suspended first, so that it starts no process missing from this list. */
  #signal(signal: NodeJS.Signals): number[] {
    const pid = this.#postmaster?.pid;
    if (pid === undefined) return [];
    process.kill(pid, 'SIGSTOP');
    const children = childPids(pid);
    for (const processId of [pid, ...children]) {
      try {
        process.kill(processId, signal);
      } catch {
        // The process has ended.
      }
    }
    return children;
  }
}

const APPLICATION_NAME = 'faults';
const IS_SERVICE_BACKEND = `backend_type = 'client backend' and application_name <> '${APPLICATION_NAME}'`;
