import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { databaseDir } from '../../../../server/config/data-dir.ts';
import { sqlOn } from '../../../support/database/client.ts';
import type { RunSql } from '../../../support/database/client.ts';
import { findFreePort } from '../../../support/http/listen.ts';
import { requireUnprivilegedRole } from '../../../support/servers/service-process.ts';
import { FakeClock } from './clock.ts';
import { PostgreSqlCluster } from './cluster.ts';
import { Service } from './service.ts';
import { SmallDisk } from './small-disk.ts';
import { takeSnapshot } from '../checks/snapshot.ts';
import type { Snapshot } from '../checks/snapshot.ts';
import { ProtocolProxy } from './protocol-proxy.ts';

/** A running service and its database. */
export interface TestEnvironment {
  service: Service;
  clock: FakeClock;
  /** Undefined for the embedded database. */
  cluster?: PostgreSqlCluster;
  /** Reads the stored rows directly. Restarts a service with the embedded database, which only one process may open. */
  snapshot(companies: readonly number[]): Promise<Snapshot>;
  close(): Promise<void>;
}

export interface PostgreSqlEnvironment extends TestEnvironment {
  cluster: PostgreSqlCluster;
  proxy: ProtocolProxy;
}

export interface EmbeddedEnvironment extends TestEnvironment {
  dataDir: string;
}

/** Opens an environment. Consecutive faults with the same factory share one environment. */
export interface EnvironmentFactory<S extends TestEnvironment = TestEnvironment> {
  database: 'PostgreSQL' | 'embedded';
  open(folder: string): Promise<S>;
}

async function openPostgreSql(
  folder: string,
  route: 'proxy' | 'direct',
  usesFakeClock: boolean,
): Promise<PostgreSqlEnvironment> {
  const cluster = await PostgreSqlCluster.create(join(folder, 'postgresql'), await findFreePort());
  const proxy = await ProtocolProxy.open(cluster.port);
  const clock = new FakeClock(folder);
  const service = new Service(await findFreePort(), {
    MIGRATION_DATABASE_URL: cluster.connectionUrl('compliance_owner'),
    DATABASE_URL: cluster.connectionUrl('compliance_app', route === 'proxy' ? proxy.port : cluster.port),
    DATA_DIR: join(folder, 'data'),
    ...(usesFakeClock && clock.environment),
  });
  await service.start();
  await requireUnprivilegedRole(service);
  return {
    service,
    clock,
    cluster,
    proxy,
    snapshot: (companies) => cluster.withConnection((client) => takeSnapshot(sqlOn(client), companies)),
    async close() {
      await service.kill();
      proxy.close();
      await cluster.kill();
    },
  };
}

async function openEmbeddedEnvironment(folder: string, usesFakeClock: boolean): Promise<EmbeddedEnvironment> {
  const dataDir = join(folder, 'data');
  const clock = new FakeClock(folder);
  mkdirSync(dataDir, { recursive: true });
  const service = new Service(await findFreePort(), { DATA_DIR: dataDir, ...(usesFakeClock && clock.environment) });
  await service.start();
  await requireUnprivilegedRole(service);
  return {
    service,
    clock,
    dataDir,
    async snapshot(companies) {
      await service.stop();
      // PGlite connects as the superuser, who bypasses row-level security.
      const pglite = await PGlite.create(databaseDir(dataDir));
      const run: RunSql = async <Row>(text: string, ...values: unknown[]) =>
        (await pglite.query<Row>(text, values)).rows;
      const stored = await takeSnapshot(run, companies);
      await pglite.close();
      await service.start();
      return stored;
    },
    close: () => service.kill(),
  };
}

/** Puts the data of an environment on a small disk, which a fault can fill. */
function onSmallDisk<S extends TestEnvironment>(factory: EnvironmentFactory<S>) {
  return async (folder: string) => {
    const disk = new SmallDisk(join(folder, 'disk'), DISK_MEBIBYTES);
    try {
      const environment = await factory.open(disk.folder);
      const close = async () => {
        await environment.close();
        disk.unmount();
      };
      return { ...environment, disk, close };
    } catch (error) {
      disk.unmount();
      throw error;
    }
  };
}

export const postgreSqlEnvironment: EnvironmentFactory<PostgreSqlEnvironment> = {
  database: 'PostgreSQL',
  open: (folder) => openPostgreSql(folder, 'direct', false),
};

/** PostgreSQL behind a `ProtocolProxy`. */
export const proxiedPostgreSqlEnvironment: EnvironmentFactory<PostgreSqlEnvironment> = {
  database: 'PostgreSQL',
  open: (folder) => openPostgreSql(folder, 'proxy', false),
};

export const embeddedEnvironment: EnvironmentFactory<EmbeddedEnvironment> = {
  database: 'embedded',
  open: (folder) => openEmbeddedEnvironment(folder, false),
};

/** The service runs with a fake system clock. */
export const withFakeClock: Environments<PostgreSqlEnvironment, EmbeddedEnvironment> = {
  PostgreSQL: { database: 'PostgreSQL', open: (folder) => openPostgreSql(folder, 'direct', true) },
  embedded: { database: 'embedded', open: (folder) => openEmbeddedEnvironment(folder, true) },
};

interface Environments<P extends TestEnvironment, E extends TestEnvironment> {
  PostgreSQL: EnvironmentFactory<P>;
  embedded: EnvironmentFactory<E>;
}

const DISK_MEBIBYTES = 200;
type WithDisk<S> = S & { disk: SmallDisk };
export const withSmallDisk: Environments<WithDisk<PostgreSqlEnvironment>, WithDisk<EmbeddedEnvironment>> = {
  PostgreSQL: { database: 'PostgreSQL', open: onSmallDisk(postgreSqlEnvironment) },
  embedded: { database: 'embedded', open: onSmallDisk(embeddedEnvironment) },
};
