import { clockJumps, clockJumpsOfEmbedded } from './clock-jumps.ts';
import { exhaustedPool } from './exhausted-pool.ts';
import { frozenDatabase } from './frozen-database.ts';
import { fullDisk, fullDiskOfEmbedded } from './full-disk.ts';
import { cutAtPoints, killedAtPoints } from './killed-at-points.ts';
import { killedAtCommit, killedBackend, killedDatabase } from './killed-database.ts';
import { killedEmbedded, killedService } from './killed-service.ts';
import { lostAnswers, lostAnswersOfEmbedded } from './lost-answers.ts';
import { nothing, nothingOfEmbedded } from './nothing.ts';
import { secondProcess } from './second-process.ts';
import type { Fault } from './stage/fault.ts';
import { stoppedEmbedded, stoppedUnderLoad } from './stopped-under-load.ts';
import { terminatedBackends } from './terminated-backends.ts';
import { cutWire, silentWire } from './wire-faults.ts';

/** All that goes wrong, in an order in which those that share a stage are neighbours. */
export const FAULTS: readonly Fault[] = [
  nothing,
  terminatedBackends,
  killedBackend,
  killedDatabase,
  frozenDatabase,
  exhaustedPool,
  lostAnswers,
  stoppedUnderLoad,
  killedService,
  cutWire,
  silentWire,
  ...cutAtPoints,
  ...killedAtCommit,
  ...killedAtPoints,
  fullDisk,
  clockJumps,
  nothingOfEmbedded,
  killedEmbedded,
  lostAnswersOfEmbedded,
  stoppedEmbedded,
  secondProcess,
  fullDiskOfEmbedded,
  clockJumpsOfEmbedded,
];
