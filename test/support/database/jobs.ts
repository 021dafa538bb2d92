import { expect, vi } from 'vitest';
import type { Database } from '../../../database/database.ts';
import type { Job, JobServices } from '../../../procedures/jobs/job.ts';
import { JOBS } from '../../../procedures/jobs/registry.ts';
import { processCounters } from '../../../server/http/process-counters.ts';
import { startJob } from '../../../server/jobs/runner.ts';
import { database } from './database.ts';

/** The job of the service with this name. */
export const findJob = (name: string): Job =>
  JOBS.find((job) => job.name === name) ?? expect.fail(`${name}: expected the name of a job`);

interface Options {
  /** Number of processes that run the job at the same time. */
  processes?: number;
  services?: JobServices;
  on?: Database;
}

/** Runs a job once in each process, to its end, without an error. @returns its log lines */
export async function runJob(
  name: string,
  { processes = 1, services = {}, on = database }: Options = {},
): Promise<unknown[][]> {
  const job = { ...findJob(name), startsIdle: false };
  const runs = () => processCounters.jobRuns.get(name) ?? { succeeded: 0, failed: 0 };
  const { succeeded, failed } = { ...runs() };
  const lines: unknown[][] = [];
  const dependencies = { database: on, log: { warn: (...line: unknown[]) => void lines.push(line) }, services };
  const stops = Array.from({ length: processes }, () => startJob(job, dependencies));
  await vi.waitUntil(() => runs().succeeded + runs().failed >= succeeded + failed + processes, {
    timeout: 60_000,
    interval: 1,
  });
  await Promise.all(stops.map((stop) => stop()));
  expect({ failed: runs().failed, lines }).toEqual({ failed, lines });
  return lines;
}
