import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROLES } from '../../faults/environment/cluster.ts';
import { findFreePort } from '../../../support/http/listen.ts';
import { startPgBouncer } from '../../../support/servers/pgbouncer.ts';
import { startRedis } from '../../../support/servers/redis.ts';
import { requireUnprivilegedRole, startService, stopServiceProcess } from '../../../support/servers/service-process.ts';
import type { ServiceProcess } from '../../../support/servers/service-process.ts';
import type { Cleanup } from './cleanup.ts';
import { Cluster } from './cluster.ts';
import { defineHaproxy } from './haproxy.ts';
import type { Program } from './program.ts';

const PROCESSES = 2;
const POOL_SIZE = 30;
/** As docs/scaling.md recommends: a request waits three seconds for PostgreSQL, and a lost PostgreSQL is tried each second. */
const POOLER_SETTINGS = {
  query_wait_timeout: 3,
  server_login_retry: 1,
  server_connect_timeout: 2,
  max_client_conn: 1000,
};
/** The maximum, so that Redis counts every request and rejects none. */
const RATE_LIMIT = '1000000';

/** A server that a fault ends and starts again. */
export interface Restartable {
  kill(): Promise<void>;
  restart(): Promise<void>;
}

/** A process of the service. */
interface Service {
  process: ServiceProcess;
  metricsUrl: string;
}

/** True if each process reads the replicas. A process leaves out replicas that do not follow the primary. */
export async function readReplicas(services: readonly Service[]): Promise<boolean> {
  const pages = await Promise.all(services.map(async ({ metricsUrl }) => (await fetch(metricsUrl)).text()));
  return pages.every((page) => /^database_replicas\{state="read"\} 1$/m.test(page));
}

/** Two processes of the service and everything between them and three PostgreSQL servers. */
export interface Environment {
  cluster: Cluster;
  haproxy: Restartable;
  pgbouncer: Restartable;
  redis: Restartable;
  services: readonly Service[];
}

const restartable = (program: Program): Restartable => ({
  kill: () => program.kill(),
  restart: () => program.start(),
});

/** Starts the environment on free ports of the loopback. `cleanup` ends what has been started. */
export async function openEnvironment(cleanup: Cleanup): Promise<Environment> {
  const { folder } = cleanup;
  const cluster = await Cluster.define(folder);
  cleanup.add(() => cluster.kill());
  await cluster.start();
  for (const text of ROLES) await cluster.withPrimary((client) => client.query(text), 'postgres');
  const haproxy = await defineHaproxy(folder, cluster.members);
  cleanup.add(() => haproxy.program.kill());
  await haproxy.program.start();
  const url = (role: string, port: number) => `postgresql://${role}@127.0.0.1:${port}/compliance`;
  const pgbouncer = await startPgBouncer(url('compliance_app', haproxy.ports.primary), POOL_SIZE, POOLER_SETTINGS);
  cleanup.add(() => pgbouncer.stop());
  const redis = await startRedis();
  cleanup.add(() => redis.remove());
  const settings = {
    DATABASE_URL: pgbouncer.url,
    DATABASE_POOLER: 'transaction',
    MIGRATION_DATABASE_URL: url('compliance_owner', haproxy.ports.primary),
    DATABASE_REPLICA_URLS: url('compliance_app', haproxy.ports.replica),
    REDIS_URL: redis.url,
    RATE_LIMIT_PER_MINUTE: RATE_LIMIT,
    SIGNING_KEY: generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
  const services: Service[] = [];
  while (services.length < PROCESSES) {
    const dataDirectory = join(folder, `data${services.length}`);
    mkdirSync(dataDirectory);
    const metricsPort = await findFreePort();
    const own = { DATA_DIR: dataDirectory, METRICS_PORT: String(metricsPort) };
    const service = await startService({ ...settings, ...own });
    cleanup.add(() => stopServiceProcess(service, 'SIGKILL'));
    await requireUnprivilegedRole(service);
    services.push({ process: service, metricsUrl: `http://127.0.0.1:${metricsPort}/metrics` });
  }
  return { cluster, haproxy: restartable(haproxy.program), pgbouncer, redis, services };
}
