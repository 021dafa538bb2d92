import { embeddedEnvironment, postgreSqlEnvironment, withFakeClock } from './environment/environment.ts';
import type { Fault } from './runner/fault.ts';
import { clockJumps, serviceFaults } from './scenarios/both-databases.ts';
import { fullDiskEmbedded, secondProcess } from './scenarios/embedded.ts';
import { connectionFaults, fullDisk, protocolFaults, serverFaults } from './scenarios/postgresql.ts';

/** All faults. Faults that share an environment are neighbours, so that it starts once for all of them. */
export const ALL_FAULTS: readonly Fault[] = [
  ...serviceFaults(postgreSqlEnvironment, 4),
  ...serverFaults,
  ...connectionFaults,
  ...protocolFaults,
  fullDisk,
  clockJumps(withFakeClock.PostgreSQL),
  ...serviceFaults(embeddedEnvironment, 5),
  secondProcess,
  fullDiskEmbedded,
  clockJumps(withFakeClock.embedded),
];
