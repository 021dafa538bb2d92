import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { once } from 'node:events';
import { PGlite } from '@electric-sql/pglite';
import { databaseFolder } from '../../../server/data-folder.ts';
import { requireWeakRole } from '../../support/process.ts';
import { Clock } from './clock.ts';
import { Cluster } from './cluster.ts';
import { Service } from './service.ts';
import { SmallDisk } from './small-disk.ts';
import { takeSnapshot } from './snapshot.ts';
import type { Query, Snapshot } from './snapshot.ts';
import { Wire } from './wire.ts';

/** A running service, its database, and what can be done to them. */
export interface Stage {
  service: Service;
  clock: Clock;
  /** Its PostgreSQL, where it has one. */
  cluster?: Cluster;
  /** Reads what is stored, past the service; the embedded database only between two processes of it. */
  snapshot(companies: readonly number[]): Promise<Snapshot>;
  close(): Promise<void>;
}

export interface PostgreSqlStage extends Stage {
  cluster: Cluster;
  wire: Wire;
}

export interface EmbeddedStage extends Stage {
  dataDir: string;
}

/** What a fault is done to. Faults that share one come one after the other, and share its processes. */
export interface Setting<S extends Stage = Stage> {
  database: 'PostgreSQL' | 'embedded';
  open(folder: string): Promise<S>;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

async function openPostgreSqlStage(folder: string, by: 'wire' | 'itself', isFaked: boolean): Promise<PostgreSqlStage> {
  const cluster = await Cluster.create(join(folder, 'postgresql'), await freePort());
  const wire = await Wire.open(cluster.port);
  const clock = new Clock(folder);
  const service = new Service(await freePort(), {
    MIGRATION_DATABASE_URL: cluster.urlOf('compliance_owner'),
    DATABASE_URL: cluster.urlOf('compliance_app', by === 'wire' ? wire.port : cluster.port),
    DATA_DIR: join(folder, 'data'),
    ...(isFaked && clock.environment),
  });
  await service.start();
  await requireWeakRole(service);
  return {
    service,
    clock,
    cluster,
    wire,
    snapshot: (companies) => takeSnapshot((text, values) => cluster.query(text, values), companies),
    async close() {
      await service.kill();
      wire.close();
      await cluster.kill();
    },
  };
}

async function openEmbeddedStage(folder: string, isFaked: boolean): Promise<EmbeddedStage> {
  const dataDir = join(folder, 'data');
  const clock = new Clock(folder);
  mkdirSync(dataDir, { recursive: true });
  const service = new Service(await freePort(), { DATA_DIR: dataDir, ...(isFaked && clock.environment) });
  await service.start();
  await requireWeakRole(service);
  return {
    service,
    clock,
    dataDir,
    async snapshot(companies) {
      await service.stop();
      // As its superuser, whom no policy keeps out.
      const pglite = await PGlite.create(databaseFolder(dataDir));
      const ask: Query = async <R>(text: string, values: unknown[]) => (await pglite.query<R>(text, values)).rows;
      const stored = await takeSnapshot(ask, companies);
      await pglite.close();
      await service.start();
      return stored;
    },
    close: () => service.kill(),
  };
}

/** Puts the data of a stage on a disk that can be full. */
function onSmallDisk<S extends Stage>(
  mebibytes: number,
  open: (folder: string) => Promise<S>,
): (folder: string) => Promise<S & { disk: SmallDisk }> {
  return async (folder) => {
    const disk = new SmallDisk(join(folder, 'disk'), mebibytes);
    try {
      const stage = await open(disk.folder);
      const close = async () => {
        await stage.close();
        disk.unmount();
      };
      return { ...stage, disk, close };
    } catch (error) {
      disk.unmount();
      throw error;
    }
  };
}

const PostgreSQL = 'PostgreSQL';
const embedded = 'embedded';

export const onPostgreSql = {
  database: PostgreSQL,
  open: (folder) => openPostgreSqlStage(folder, 'itself', false),
} satisfies Setting<PostgreSqlStage>;

/** With the wire between the service and PostgreSQL. */
export const overTheWire = {
  database: PostgreSQL,
  open: (folder) => openPostgreSqlStage(folder, 'wire', false),
} satisfies Setting<PostgreSqlStage>;

export const onEmbedded = {
  database: embedded,
  open: (folder) => openEmbeddedStage(folder, false),
} satisfies Setting<EmbeddedStage>;

/** With a wall clock of the service's own. */
export const byItsOwnClock = {
  PostgreSQL: { database: PostgreSQL, open: (folder) => openPostgreSqlStage(folder, 'itself', true) },
  embedded: { database: embedded, open: (folder) => openEmbeddedStage(folder, true) },
} satisfies { PostgreSQL: Setting<PostgreSqlStage>; embedded: Setting<EmbeddedStage> };

type OnDisk<S> = S & { disk: SmallDisk };
export const onItsOwnDisk = {
  PostgreSQL: {
    database: PostgreSQL,
    open: onSmallDisk(200, (folder) => openPostgreSqlStage(folder, 'itself', false)),
  },
  embedded: { database: embedded, open: onSmallDisk(200, (folder) => openEmbeddedStage(folder, false)) },
} satisfies { PostgreSQL: Setting<OnDisk<PostgreSqlStage>>; embedded: Setting<OnDisk<EmbeddedStage>> };
