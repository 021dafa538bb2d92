import { setTimeout as wait } from 'node:timers/promises';
import type { Environment, Restartable } from './environment/environment.ts';

/** Time for which the primary is suspended: longer than Patroni waits until it replaces it. */
const FREEZE_MS = 40_000;
/** Time between the end of a server and its next start. */
const DOWN_MS = 1000;

/** A fault. `inject` resolves when it is over; the cluster may still recover then. */
export interface Fault {
  name: string;
  inject(environment: Environment): Promise<void>;
}

const restart = (name: string, select: (environment: Environment) => Restartable): Fault => ({
  name: `restart of ${name}`,
  async inject(environment) {
    const server = select(environment);
    await server.kill();
    await wait(DOWN_MS);
    await server.restart();
  },
});

export const FAULTS: readonly Fault[] = [
  {
    name: 'SIGKILL of the primary',
    async inject({ cluster }) {
      const primary = await cluster.primary();
      await primary.kill();
      await cluster.primary(primary); // another one
      await primary.start();
    },
  },
  {
    name: `SIGSTOP of the primary for ${FREEZE_MS / 1000} s`,
    async inject({ cluster }) {
      const primary = await cluster.primary();
      primary.freeze();
      await wait(FREEZE_MS);
      primary.thaw();
    },
  },
  { name: 'switchover', inject: ({ cluster }) => cluster.switchOver() },
  restart('PgBouncer', ({ pgbouncer }) => pgbouncer),
  restart('HAProxy', ({ haproxy }) => haproxy),
  restart('Redis', ({ redis }) => redis),
];
