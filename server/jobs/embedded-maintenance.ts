import type { Job } from '../../procedures/jobs/job.ts';

/** Keeps the statistics of the embedded database, and writes its checkpoints. */
export const embeddedMaintenance: Job = {
  kind: 'interval',
  name: 'maintain-embedded-database',
  failure: 'embedded database: maintenance failed',
  intervalMs: 15_000,
  startsIdle: true,
  run: async (_, { database: { embedded } }) => {
    await embedded?.maintenance.analyze();
    await embedded?.maintenance.writeCheckpoint();
  },
};
