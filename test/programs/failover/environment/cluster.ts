import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from 'pg';
import { sqlOn, withClient } from '../../../support/database/client.ts';
import { findFreePort } from '../../../support/http/listen.ts';
import { until } from '../../../support/servers/until.ts';
import { Member } from './member.ts';
import { Program } from './program.ts';

const MEMBERS = 3;
/** Longest time until a new cluster, or one after a fault, has a primary and two standbys that follow it. */
const WHOLE_TIMEOUT_MS = 180_000;

const STANDBYS = `select sync_state from pg_stat_replication where state = 'streaming'`;

/** Longest time for which a response of Patroni is waited for: a suspended one never responds. */
const API_TIMEOUT_MS = 3000;
const POLL_MS = 200;

/** Three PostgreSQL servers with synchronous replication under Patroni, which keeps its state in etcd. */
export class Cluster {
  readonly members: readonly Member[];
  readonly #etcd: Program;

  private constructor(members: readonly Member[], etcd: Program) {
    this.members = members;
    this.#etcd = etcd;
  }

  /** Defines a cluster in a folder of the user of PostgreSQL, without starting it. */
  static async define(folder: string): Promise<Cluster> {
    const [etcdPort, peerPort] = [await findFreePort(), await findFreePort()];
    const [client, peer] = [`http://127.0.0.1:${etcdPort}`, `http://127.0.0.1:${peerPort}`];
    const options = Object.entries({
      name: 'etcd',
      'data-dir': join(folder, 'etcd'),
      'listen-client-urls': client,
      'advertise-client-urls': client,
      'listen-peer-urls': peer,
      'initial-advertise-peer-urls': peer,
      'initial-cluster': `etcd=${peer}`,
    });
    const etcd = new Program(
      ['etcd', ...options.map(([name, value]) => `--${name}=${value}`)],
      join(folder, 'etcd.log'),
    );
    const members: Member[] = [];
    while (members.length < MEMBERS) {
      const ports = { postgresql: await findFreePort(), api: await findFreePort() };
      members.push(new Member(folder, `member${members.length + 1}`, ports, etcdPort));
    }
    return new Cluster(members, etcd);
  }

  async start(): Promise<void> {
    await this.#etcd.start();
    for (const member of this.members) await member.start();
    await this.untilWhole();
  }

  /** Waits until there is a primary, and two standbys that follow it, one of them synchronously. */
  async untilWhole(): Promise<void> {
    const isWhole = async () => {
      const standbys = await this.withPrimary((client) => sqlOn(client)<{ sync_state: string }>(STANDBYS), 'postgres');
      const states = standbys.map(({ sync_state }) => sync_state);
      return states.length === MEMBERS - 1 && states.includes('sync');
    };
    await until(() => isWhole().catch(() => false), 'Patroni: a primary and two standbys', WHOLE_TIMEOUT_MS);
  }

  /** Waits until a member says that it is the primary. @param former a member that must not be it any more */
  async primary(former?: Member): Promise<Member> {
    const end = performance.now() + WHOLE_TIMEOUT_MS;
    do {
      const arePrimary = await Promise.all(this.members.map(isPrimary));
      const found = this.members.find((member, index) => member !== former && arePrimary[index]);
      if (found !== undefined) return found;
      await wait(POLL_MS);
    } while (performance.now() < end);
    throw new Error('Patroni: the cluster has no primary');
  }

  /** Makes a standby the primary, in an orderly way. */
  async switchOver(): Promise<void> {
    const { name, ports } = await this.primary();
    const response = await fetch(`http://127.0.0.1:${ports.api}/switchover`, {
      method: 'POST',
      body: JSON.stringify({ leader: name }),
    });
    if (response.status !== 200) throw new Error(`switchover: ${response.status} ${await response.text()}`);
  }

  /** Runs `work` on the primary as the superuser, who bypasses row-level security. */
  async withPrimary<T>(work: (client: Client) => Promise<T>, database = 'compliance'): Promise<T> {
    const { ports } = await this.primary();
    const connectionString = `postgresql://postgres@127.0.0.1:${ports.postgresql}/${database}`;
    return withClient({ connectionString, options: '-c datestyle=ISO -c timezone=UTC' }, work);
  }

  async kill(): Promise<void> {
    await Promise.all(this.members.map((member) => member.kill()));
    await this.#etcd.kill();
  }
}

async function isPrimary({ ports }: Member): Promise<boolean> {
  const options = { signal: AbortSignal.timeout(API_TIMEOUT_MS) };
  const response = await fetch(`http://127.0.0.1:${ports.api}/primary`, options).catch(() => undefined);
  return response?.status === 200;
}
