import { setTimeout as wait } from 'node:timers/promises';
import type { Fault } from '../runner/fault.ts';
import { withSmallDisk } from '../environment/environment.ts';
import type { EmbeddedEnvironment, PostgreSqlEnvironment } from '../environment/environment.ts';
import type { SmallDisk } from '../environment/small-disk.ts';

/** Time for which the disk is full. */
const DISK_FULL_MS = 4000;

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
