import { setTimeout as wait } from 'node:timers/promises';
import { postgreSqlEnvironment, proxiedPostgreSqlEnvironment, withSmallDisk } from '../environment/environment.ts';
import type { PostgreSqlEnvironment } from '../environment/environment.ts';
import { PROTOCOL_POINTS } from '../environment/protocol-points.ts';
import { waitForPoint } from '../environment/protocol-proxy.ts';
import type { ProtocolPoint } from '../environment/protocol-proxy.ts';
import type { SmallDisk } from '../environment/small-disk.ts';
import type { Fault } from '../runner/fault.ts';

/** Time for which the disk is full. */
export const DISK_FULL_MS = 4000;

type PostgreSqlFault = Fault<PostgreSqlEnvironment>;

/** Faults of the server, its processes and its locks. */
export const serverFaults: readonly PostgreSqlFault[] = [
  {
    name: 'pg_terminate_backend of every connection, 30 times in 3 s',
    environment: postgreSqlEnvironment,
    rounds: 2,
    async inject({ cluster }) {
      let terminated = 0;
      for (let count = 0; count < 30; count++) {
        terminated += await cluster.terminateBackends();
        await wait(100);
      }
      if (terminated === 0) throw new Error('the service had no connection to terminate');
    },
  },
  {
    name: 'kill -9 of one process of PostgreSQL, which recovers by itself',
    environment: postgreSqlEnvironment,
    rounds: 2,
    async inject({ cluster }) {
      await cluster.killBackend();
      await wait(200); // The postmaster needs a moment to notice.
      await cluster.start();
    },
  },
  {
    name: 'kill -9 of PostgreSQL, started again after a second',
    environment: postgreSqlEnvironment,
    rounds: 3,
    async inject({ cluster }, { random }) {
      await wait(random.integerBelow(200));
      await cluster.kill();
      await wait(1000);
      await cluster.start();
    },
  },
  {
    name: 'PostgreSQL is frozen for 8 s (SIGSTOP of all its processes)',
    environment: postgreSqlEnvironment,
    rounds: 2,
    async inject({ cluster }) {
      cluster.freeze();
      await wait(8000);
      cluster.thaw();
    },
  },
  {
    name: 'every connection waits for locks of another session, for 8 s',
    environment: postgreSqlEnvironment,
    rounds: 2,
    async inject({ cluster }) {
      await cluster.withConnection(async (client) => {
        await client.query('begin');
        await client.query('select 1 from vendor for update');
        await client.query('select 1 from task for update');
        await client.query('lock table audit_event in share row exclusive mode');
        await wait(8000);
        await client.query('rollback');
      });
    },
  },
];

/** Faults of the connections between the service and PostgreSQL. */
export const connectionFaults: readonly PostgreSqlFault[] = [
  {
    name: 'the connections to PostgreSQL are reset, 20 times in 2 s',
    environment: proxiedPostgreSqlEnvironment,
    rounds: 2,
    async inject({ proxy }, { random }) {
      for (let count = 0; count < 20; count++) {
        proxy.resetConnections();
        await wait(random.integerBelow(200));
      }
    },
  },
  {
    name: 'the connections to PostgreSQL stall for 8 s',
    environment: proxiedPostgreSqlEnvironment,
    rounds: 1,
    async inject({ proxy }) {
      proxy.pause();
      await wait(8000);
      proxy.resume();
    },
  },
];

/** A fault at protocol points: `act` runs synchronously when a connection reaches the point, and `end` when it is done. */
const atPoints = (
  name: string,
  points: readonly ProtocolPoint[],
  act: (environment: PostgreSqlEnvironment) => unknown,
  end?: (environment: PostgreSqlEnvironment) => Promise<void>,
) =>
  points.map((point): PostgreSqlFault => ({
    name: `${name} ${point.name}`,
    row: `${name}, at ${points.length} points of a write`,
    environment: proxiedPostgreSqlEnvironment,
    rounds: 1,
    async inject(environment) {
      let acting: unknown;
      await waitForPoint(environment.proxy.onPoint(point, () => (acting = act(environment))));
      await acting;
      await end?.(environment);
    },
  }));

export const protocolFaults: readonly PostgreSqlFault[] = [
  ...atPoints('the connection is reset', PROTOCOL_POINTS, ({ proxy }) => proxy.resetConnections()),
  ...atPoints(
    'kill -9 of PostgreSQL',
    PROTOCOL_POINTS.filter(({ name }) => name.includes('COMMIT')),
    ({ cluster, proxy }) => {
      const killed = cluster.kill();
      proxy.resetConnections();
      return killed;
    },
    ({ cluster }) => cluster.start(),
  ),
  ...atPoints(
    'kill -9 of the service',
    PROTOCOL_POINTS,
    ({ service }) => service.killImmediately(),
    async ({ service }) => {
      await service.kill();
      await service.start();
    },
  ),
];

export const fullDisk: Fault<PostgreSqlEnvironment & { disk: SmallDisk }> = {
  name: 'the disk of PostgreSQL is full for 4 s',
  environment: withSmallDisk.PostgreSQL,
  rounds: 2,
  async inject({ cluster, disk }) {
    disk.fill();
    await wait(DISK_FULL_MS);
    disk.clear();
    await cluster.start(); // PostgreSQL may have stopped, as it could not write its log.
  },
};
