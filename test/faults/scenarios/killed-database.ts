import { setTimeout as wait } from 'node:timers/promises';
import { PROTOCOL_POINTS } from '../environment/protocol-points.ts';
import type { Fault } from '../runner/fault.ts';
import { postgreSqlEnvironment, proxiedPostgreSqlEnvironment } from '../environment/environment.ts';
import type { PostgreSqlEnvironment } from '../environment/environment.ts';
import { waitForPoint } from '../environment/protocol-proxy.ts';

export const killedDatabase: Fault<PostgreSqlEnvironment> = {
  name: 'kill -9 of PostgreSQL, started again after a second',
  environment: postgreSqlEnvironment,
  rounds: 3,
  async inject({ cluster }, { random }) {
    await wait(random.integerBelow(200));
    await cluster.kill();
    await wait(1000);
    await cluster.start();
  },
};

export const killedBackend: Fault<PostgreSqlEnvironment> = {
  name: 'kill -9 of one process of PostgreSQL, which recovers by itself',
  environment: postgreSqlEnvironment,
  rounds: 2,
  async inject({ cluster }) {
    await cluster.killBackend();
    await wait(200); // The postmaster needs a moment to notice.
    await cluster.start();
  },
};

export const killedDatabaseAtCommit: Fault<PostgreSqlEnvironment>[] = PROTOCOL_POINTS.filter(({ name }) =>
  name.includes('COMMIT'),
).map((point) => ({
  name: `kill -9 of PostgreSQL ${point.name}`,
  environment: proxiedPostgreSqlEnvironment,
  rounds: 1,
  async inject({ cluster, proxy }) {
    let killed: Promise<void> | undefined;
    await waitForPoint(
      proxy.onPoint(point, () => {
        killed = cluster.kill();
        proxy.resetConnections();
      }),
    );
    await killed;
    await cluster.start();
  },
}));
