import { setTimeout as wait } from 'node:timers/promises';
import type { Fault } from './stage/fault.ts';
import { onItsOwnDisk } from './stage/stage.ts';
import type { EmbeddedStage, PostgreSqlStage } from './stage/stage.ts';
import type { SmallDisk } from './stage/small-disk.ts';

/** Milliseconds for which no byte is free. */
const FULL = 4000;

export const fullDisk: Fault<PostgreSqlStage & { disk: SmallDisk }> = {
  name: 'the disk of PostgreSQL is full for 4 s',
  on: onItsOwnDisk.PostgreSQL,
  rounds: 2,
  async strike({ cluster, disk }) {
    disk.fill();
    await wait(FULL);
    disk.clear();
    await cluster.start(); // where it could not even log that it stops, somebody has to start it
  },
};

export const fullDiskOfEmbedded: Fault<EmbeddedStage & { disk: SmallDisk }> = {
  name: 'the disk of DATA_DIR is full for 4 s; the service is started again',
  on: onItsOwnDisk.embedded,
  rounds: 2,
  async strike({ service, disk }) {
    disk.fill();
    await wait(FULL);
    disk.clear();
    await service.stop();
    await service.start();
  },
};
