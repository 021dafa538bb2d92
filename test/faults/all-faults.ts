import { clockJumps, clockJumpsEmbedded } from './scenarios/clock-jumps.ts';
import { exhaustedPool } from './scenarios/exhausted-pool.ts';
import { frozenDatabase } from './scenarios/frozen-database.ts';
import { fullDisk, fullDiskEmbedded } from './scenarios/full-disk.ts';
import { cutAtProtocolPoints, killedAtProtocolPoints } from './scenarios/killed-at-protocol-points.ts';
import { killedDatabaseAtCommit, killedBackend, killedDatabase } from './scenarios/killed-database.ts';
import { killedServiceEmbedded, killedService } from './scenarios/killed-service.ts';
import { lostResponses, lostResponsesEmbedded } from './scenarios/lost-responses.ts';
import { baseline, baselineEmbedded } from './scenarios/baseline.ts';
import { secondProcess } from './scenarios/second-process.ts';
import type { Fault } from './runner/fault.ts';
import { shutdownUnderLoadEmbedded, shutdownUnderLoad } from './scenarios/shutdown-under-load.ts';
import { terminatedBackends } from './scenarios/terminated-backends.ts';
import { cutConnections, silentConnections } from './scenarios/connection-faults.ts';

/** All faults. Faults that share an environment are neighbours, so that it starts once for all of them. */
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
