import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { isStatementCanceled } from '../../database/errors.ts';
import { Pace } from '../../database/pace.ts';
import { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { FrozenError } from '../../entities/company/freezing.ts';
import type { CompaniesHandler, CompaniesJob, Job, JobServices, RetentionJob } from '../../procedures/jobs/job.ts';
import { processCounters } from '../http/process-counters.ts';

interface Dependencies {
  database: Database;
  log: Pick<Logger, 'warn'>;
  services?: JobServices;
}

/**
 * Starts a job in this process. A run that fails is logged and repeated after the interval.
 * @returns a function that stops the job, and resolves when its current statement or slice has ended
 */
export function startJob(job: Job, { database, log, services }: Dependencies): () => Promise<void> {
  const stopped = new AbortController();
  const { signal } = stopped;
  const session = new Session(database, null, job.name);
  const now = services?.now ?? (() => new Date());
  const runs = processCounters.jobRuns.get(job.name) ?? { succeeded: 0, failed: 0 };
  let result: keyof typeof runs = 'succeeded';
  const warn: Warn = (error, line, fields = {}) => {
    result = 'failed';
    log.warn({ err: error, ...fields }, line);
  };
  const report = (fields: object, line: string) => log.warn(fields, line);
  const context = { ...services, database, session, warn, report };
  const handler = job.kind === 'companies' ? job.open(context) : undefined;
  const lacksService = job.kind === 'interval' && job.needs !== undefined && services?.[job.needs] === undefined;
  if (lacksService || (job.kind === 'companies' && handler === undefined)) return async () => {};
  processCounters.jobRuns.set(job.name, runs);

  /** Of the searches for companies. */
  const pace = new Pace();

  /** @returns milliseconds until the next run; undefined for those of the definition */
  async function run(): Promise<number | undefined> {
    if (job.kind === 'interval') await job.run(session, { ...context, signal });
    else if (job.kind === 'retention') await deleteBatches(job, session, now(), signal);
    else if (handler !== undefined) return runCompanies(job, handler, { signal, warn, pace });
    return undefined;
  }

  async function runLoop(): Promise<void> {
    if (job.startsIdle === true) await pause(job.intervalMs, signal);
    while (!signal.aborted) {
      result = 'succeeded';
      const idleMs = await run().catch((error: unknown) => warn(error, job.failure));
      runs[result] += 1;
      const ends: Promise<unknown>[] = [pause(idleMs ?? job.intervalMs, signal)];
      if (handler?.next !== undefined) ends.push(Promise.all([handler.next(), pause(pace.pauseMs, signal)]));
      await Promise.race(ends);
    }
  }

  const loopEnded = runLoop();
  return async () => {
    stopped.abort();
    await loopEnded;
    await handler?.stop?.();
  };
}

type Warn = (error: unknown, line: string, fields?: object) => void;

const pause = (ms: number, signal: AbortSignal) => wait(ms, undefined, { signal, ref: false }).catch(() => {});

async function deleteBatches(
  { statement }: RetentionJob,
  session: Session<null>,
  now: Date,
  signal: AbortSignal,
): Promise<void> {
  const { batchSize } = statement;
  for (let deleted = batchSize; deleted >= batchSize && !signal.aborted;)
    ({ deleted } = await session.one(statement, { now: now.toISOString() }));
}

/** True if the database is unavailable for every company. A statement that PostgreSQL canceled concerns one company. */
const isUnavailable = (error: unknown) =>
  error instanceof ApiError && error.code === 'unavailable' && !isStatementCanceled(error);

/**
 * Runs slices of the companies with work, one of each in turn. Ends at the latest when the next search for companies is due, so
 * that none waits for the work of another. An error of one company does not affect the others.
 * @returns milliseconds until the next run
 */
async function runCompanies(
  { intervalMs: minIntervalMs, companyFailure }: CompaniesJob,
  handler: CompaniesHandler,
  { signal, warn, pace }: { signal: AbortSignal; warn: Warn; pace: Pace },
): Promise<number> {
  const start = performance.now();
  let companies = await pace.round(() => handler.companies());
  const intervalMs = Math.max(minIntervalMs, pace.pauseMs);
  while (companies.length > 0 && performance.now() - start < intervalMs) {
    const busy: number[] = [];
    for (const company of companies) {
      if (signal.aborted) return 0;
      const hasMore = await handler.runSlice(company).catch((error: unknown) => {
        if (error instanceof FrozenError) return false; // it was frozen since the search, and continues when it is unfrozen
        if (isUnavailable(error)) throw error;
        warn(error, companyFailure, { company });
        return false;
      });
      if (hasMore) busy.push(company);
    }
    companies = busy;
  }
  return companies.length > 0 ? 0 : intervalMs;
}
