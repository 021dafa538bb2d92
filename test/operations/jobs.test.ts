import { expect, onTestFinished, test, vi } from 'vitest';
import { Database } from '../../database/database.ts';
import { asApiError } from '../../database/errors.ts';
import { ApiError } from '../../entities/api-error.ts';
import type { CompaniesHandler, CompaniesJob } from '../../procedures/jobs/job.ts';
import { JOBS } from '../../procedures/jobs/registry.ts';
import { processCounters } from '../../server/http/process-counters.ts';
import { startJob } from '../../server/jobs/runner.ts';
import { startMetrics } from '../../server/telemetry/metrics.ts';
import { stubDriver } from '../support/database/stub-driver.ts';

const database = new Database(stubDriver({}));
const HOUR_MS = 3_600_000;

/** Starts a job with this handler. Returns its runs and its log lines. */
function start(name: string, handler: CompaniesHandler, intervalMs = 20) {
  const definition = { name, failure: 'test: failed', companyFailure: 'test: a company failed', intervalMs };
  const job: CompaniesJob = { kind: 'companies', ...definition, open: () => handler };
  const lines: unknown[] = [];
  const stop = startJob(job, { database, log: { warn: (...args: unknown[]) => void lines.push(args) } });
  return { lines, stop, runs: () => processCounters.jobRuns.get(name) };
}

test('companies with work take turns, one slice each, and an error of one affects only that one', async () => {
  const slices: number[] = [];
  const left = new Map([
    [1, 2],
    [2, 1],
    [3, 2],
  ]);
  const { lines, stop, runs } = start('test-turns', {
    companies: async () => [...left.keys()],
    async runSlice(company) {
      slices.push(company);
      const more = (left.get(company) ?? 0) - 1;
      if (more > 0) left.set(company, more);
      else left.delete(company);
      if (company === 2) throw new Error('broken');
      return more > 0;
    },
  });
  await expect.poll(() => runs()?.succeeded).toBeGreaterThan(0);
  await stop();
  expect(slices).toEqual([1, 2, 3, 1, 3]);
  expect(lines).toEqual([[{ err: expect.any(Error), company: 2 }, 'test: a company failed']]);
  expect(runs()?.failed).toBe(1);
});

test('an unavailable database ends the run, which is repeated', async () => {
  const slices: number[] = [];
  const { lines, stop, runs } = start('test-unavailable', {
    companies: async () => [1, 2],
    async runSlice(company) {
      slices.push(company);
      throw new ApiError('unavailable', 'The database is unavailable.');
    },
  });
  await expect.poll(() => runs()?.failed).toBeGreaterThan(1);
  await stop();
  expect(new Set(slices)).toEqual(new Set([1]));
  expect(lines[0]).toEqual([{ err: expect.any(ApiError) }, 'test: failed']);
});

test('a statement that PostgreSQL cancels ends the slice of its company, and not the run', async () => {
  const slices: number[] = [];
  const { lines, stop, runs } = start('test-canceled', {
    companies: async () => [1, 2, 3],
    async runSlice(company) {
      slices.push(company);
      const code = { 1: '57014', 2: '55P03' }[company]; // statement_timeout and lock_timeout
      if (code !== undefined) throw asApiError(Object.assign(new Error('canceled'), { code }));
      return false;
    },
  });
  await expect.poll(() => runs()?.failed).toBeGreaterThan(0);
  await stop();
  expect(slices.slice(0, 3)).toEqual([1, 2, 3]);
  expect(lines.slice(0, 2)).toEqual(
    [1, 2].map((company) => [{ err: expect.any(ApiError), company }, 'test: a company failed']),
  );
});

test('a company that always has work does not keep the job from finding others', async () => {
  let searches = 0;
  const { stop } = start('test-busy', {
    companies: async () => ((searches += 1), [1]),
    runSlice: () => new Promise((end) => setTimeout(end, 1, true)),
  });
  await expect.poll(() => searches).toBeGreaterThan(2);
  await stop();
});

test('a handler with more work runs before the interval has passed, but searches at most a twentieth of the time', async () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => void vi.restoreAllMocks());
  const searches = { fast: 0, slow: 0 };
  const startSearching = (name: keyof typeof searches, searchMs: number) =>
    start(
      `test-${name}`,
      {
        async companies() {
          searches[name] += 1;
          now += searchMs;
          return [];
        },
        runSlice: async () => false,
        next: async () => {},
      },
      HOUR_MS,
    );
  const { stop: stopSlow } = startSearching('slow', HOUR_MS);
  const { stop: stopFast } = startSearching('fast', 0);
  await expect.poll(() => searches.fast).toBeGreaterThan(5);
  expect(searches.slow).toBe(1);
  await Promise.all([stopSlow(), stopFast()]);
});

test('a stop waits for the current slice, starts no other one, and then ends work in flight', async () => {
  const { promise: slice, resolve } = Promise.withResolvers<boolean>();
  const steps: string[] = [];
  const { stop } = start('test-stop', {
    companies: async () => [1, 2],
    runSlice: async (company) => (steps.push(`slice ${company}`), slice),
    stop: async () => void steps.push('stop'),
  });
  await expect.poll(() => steps).toEqual(['slice 1']);
  const stopped = stop().then(() => steps.push('stopped'));
  resolve(true);
  await stopped;
  expect(steps).toEqual(['slice 1', 'stop', 'stopped']);
});

test('names of jobs are unique, and metrics count their runs', async () => {
  const names = JOBS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  processCounters.jobRuns.set('test-metric', { succeeded: 4, failed: 2 });
  const metrics = await startMetrics(database).collect();
  const { values } = metrics.find(({ name }) => name === 'background_job_runs_total') ?? {};
  expect(values).toContainEqual({ labels: { job: 'test-metric', result: 'succeeded' }, value: 4 });
  expect(values).toContainEqual({ labels: { job: 'test-metric', result: 'failed' }, value: 2 });
});
