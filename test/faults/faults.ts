import { clockJumps, clockJumpsEmbedded } from './clock-jumps.ts';
import { exhaustedPool } from './exhausted-pool.ts';
import { frozenDatabase } from './frozen-database.ts';
import { fullDisk, fullDiskEmbedded } from './full-disk.ts';
import { cutAtProtocolPoints, killedAtProtocolPoints } from './killed-at-points.ts';
import { killedDatabaseAtCommit, killedBackend, killedDatabase } from './killed-database.ts';
import { killedServiceEmbedded, killedService } from './killed-service.ts';
import { lostResponses, lostResponsesEmbedded } from './lost-answers.ts';
import { baseline, baselineEmbedded } from './nothing.ts';
import { secondProcess } from './second-process.ts';
import type { Fault } from './stage/fault.ts';
import { shutdownUnderLoadEmbedded, shutdownUnderLoad } from './stopped-under-load.ts';
import { terminatedBackends } from './terminated-backends.ts';
import { cutConnections, silentConnections } from './wire-faults.ts';

/** All that goes wrong, in an order in which those that share a stage are neighbours. */
export const ALL_FAULTS: readonly Fault[] = [
  baseline,
  terminatedBackends,
  killedBackend,
  killedDatabase,
  frozenDatabase,
  exhaustedPool,
  lostResponses,
  shutdownUnderLoad,
  killedService,
  cutConnections,
  silentConnections,
  ...cutAtProtocolPoints,
  ...killedDatabaseAtCommit,
  ...killedAtProtocolPoints,
  fullDisk,
  clockJumps,
  baselineEmbedded,
  killedServiceEmbedded,
  lostResponsesEmbedded,
  shutdownUnderLoadEmbedded,
  secondProcess,
  fullDiskEmbedded,
  clockJumpsEmbedded,
];
