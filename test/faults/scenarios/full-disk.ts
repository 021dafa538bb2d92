import { setTimeout as wait } from 'node:timers/promises';
import type { Fault } from '../runner/fault.ts';
import { withSmallDisk } from '../environment/environment.ts';
import type { EmbeddedEnvironment, PostgreSqlEnvironment } from '../environment/environment.ts';
import type { SmallDisk } from '../environment/small-disk.ts';

/** Milliseconds for which no byte is free. */
const DISK_FULL_MS = 4000;

export const fullDisk: Fault<PostgreSqlEnvironment & { disk: SmallDisk }> = {
  name: 'the disk of PostgreSQL is full for 4 s',
  environment: withSmallDisk.PostgreSQL,
  rounds: 2,
  async inject({ cluster, disk }) {
    disk.fill();
    await wait(DISK_FULL_MS);
    disk.clear();
    await cluster.start(); // where it could not even log that it stops, somebody has to start it
  },
};

export const fullDiskEmbedded: Fault<EmbeddedEnvironment & { disk: SmallDisk }> = {
  name: 'the disk of DATA_DIR is full for 4 s; the service is started again',
  environment: withSmallDisk.embedded,
  rounds: 2,
  async inject({ service, disk }) {
    disk.fill();
    await wait(DISK_FULL_MS);
    disk.clear();
    await service.stop();
    await service.start();
  },
};
