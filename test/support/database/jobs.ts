import type { Job } from '../../../procedures/jobs/job.ts';
import { JOBS } from '../../../procedures/jobs/registry.ts';

/** The job of the service with this name, at a shorter interval. */
export function jobEvery(intervalMs: number, name: string): Job {
  const job = JOBS.find((one) => one.name === name);
  if (job === undefined) throw new Error(`${name}: expected the name of a job`);
  return { ...job, intervalMs };
}
