import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { binDirectory, childPids, isAlive } from '../../../support/servers/postgresql.ts';
import { Program } from './program.ts';

/** Ports of a member: PostgreSQL, and the API of its Patroni. */
interface MemberPorts {
  postgresql: number;
  api: number;
}

/** Settings of Patroni for the whole cluster: a leader that is silent for 20 s is replaced. */
const CLUSTER_SETTINGS = {
  ttl: 20,
  loop_wait: 5,
  retry_timeout: 5,
  synchronous_mode: true,
  postgresql: {
    use_pg_rewind: true,
    use_slots: true,
    // Replicas are read again after their next restart point.
    parameters: {
      max_connections: 200,
      wal_log_hints: 'on',
      shared_buffers: '64MB',
      checkpoint_timeout: '30s',
      wal_keep_size: '256MB',
    },
  },
};

/** A PostgreSQL server and the Patroni that starts it. */
export class Member {
  readonly name: string;
  readonly ports: MemberPorts;
  readonly #dataDirectory: string;
  readonly #patroni: Program;

  constructor(folder: string, name: string, ports: MemberPorts, etcdPort: number) {
    this.name = name;
    this.ports = ports;
    this.#dataDirectory = join(folder, name);
    const settings = join(folder, `${name}.json`);
    writeFileSync(settings, JSON.stringify(this.#settings(folder, etcdPort)));
    this.#patroni = new Program(['patroni', settings], join(folder, `${name}.log`));
  }

  /** Starts Patroni, which starts PostgreSQL. A member that was the primary becomes a standby. */
  start(): Promise<void> {
    return this.#patroni.start();
  }

  /** Sends SIGKILL to Patroni and to all processes of PostgreSQL at once. */
  async kill(): Promise<void> {
    const pids = this.#signal('SIGKILL');
    await this.#patroni.kill();
    while (pids.some(isAlive)) await wait(20);
  }

  /** Suspends Patroni and PostgreSQL, as when a virtual machine is paused. */
  freeze(): void {
    this.#signal('SIGSTOP');
  }

  thaw(): void {
    this.#signal('SIGCONT');
  }

  /** @returns the processes of PostgreSQL */
  #signal(signal: NodeJS.Signals): number[] {
    const { pid } = this.#patroni;
    const postmaster = this.#postmaster();
    // Suspended parents start no process that is missing from the list.
    for (const parent of [pid, postmaster]) if (parent !== undefined) process.kill(parent, 'SIGSTOP');
    const postgresql = postmaster === undefined ? [] : [postmaster, ...childPids(postmaster)];
    for (const one of [...postgresql, ...(pid === undefined ? [] : [...childPids(pid), pid])]) {
      try {
        process.kill(one, signal);
      } catch {
        // The process has ended.
      }
    }
    return postgresql;
  }

  /** Process id of a PostgreSQL that runs on the data directory. */
  #postmaster(): number | undefined {
    try {
      const pid = Number(readFileSync(join(this.#dataDirectory, 'postmaster.pid'), 'utf8').split('\n')[0]);
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(this.#dataDirectory) ? pid : undefined;
    } catch {
      return undefined;
    }
  }

  #settings(folder: string, etcdPort: number): object {
    const api = `127.0.0.1:${this.ports.api}`;
    const address = `127.0.0.1:${this.ports.postgresql}`;
    const superuser = { username: 'postgres', password: 'postgres' };
    return {
      scope: 'failover',
      name: this.name,
      restapi: { listen: api, connect_address: api },
      etcd3: { host: `127.0.0.1:${etcdPort}` },
      bootstrap: {
        dcs: CLUSTER_SETTINGS,
        initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }],
        pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
      },
      postgresql: {
        listen: address,
        connect_address: address,
        data_dir: this.#dataDirectory,
        bin_dir: binDirectory,
        pgpass: join(folder, `${this.name}.pgpass`),
        authentication: {
          superuser,
          rewind: superuser,
          replication: { username: 'replicator', password: 'replicator' },
        },
        parameters: { unix_socket_directories: '' },
      },
    };
  }
}
