import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { DELETE_BATCH_SIZE, deleteOldImports } from '../../entities/import/progress.ts';
import { ImportRunner } from '../../procedures/import/runner.ts';
import { processCounters } from '../http/process-counters.ts';

/** Milliseconds between two checks for queued imports. */
const INTERVAL_MS = 500;
/** Idle time as a multiple of the duration of the check. Bounds its load. */
const IDLE_FACTOR = 20;
/** Milliseconds between two runs of the retention job. */
const CLEANUP_INTERVAL_MS = 60_000;

/**
 * Starts a job that runs the imports of all companies, one slice of each company in turn. Several processes on one database
 * share the work. It also deletes old imports.
 * @returns a function that stops the job and resolves when the current slice has ended
 */
export function startImports(database: Database, log: Pick<Logger, 'warn'>): () => Promise<void> {
  const stopped = new AbortController();
  const runner = new ImportRunner(database, (rows) => {
    for (const result of ['created', 'updated', 'unchanged', 'failed'] as const)
      processCounters.importRows[result] += rows[result];
  });
  const session = new Session(database, null, 'delete-old-imports');

  /** @returns the duration of the check in milliseconds */
  async function runAll(): Promise<number> {
    const start = performance.now();
    let companies = await runner.companies();
    const checkMs = performance.now() - start;
    while (companies.length > 0 && !stopped.signal.aborted) {
      const busy: number[] = [];
      for (const company of companies) {
        if (stopped.signal.aborted) return checkMs;
        const worked = await runner.runSlice(company).catch((error: unknown) => {
          if (error instanceof ApiError) throw error; // the database is unavailable
          log.warn({ err: error, company }, 'import: a slice failed');
          return false;
        });
        if (worked) busy.push(company);
      }
      companies = busy;
    }
    return checkMs;
  }

  async function deleteOld(): Promise<void> {
    for (let deleted = DELETE_BATCH_SIZE; deleted === DELETE_BATCH_SIZE && !stopped.signal.aborted;) {
      ({ deleted } = await session.one(deleteOldImports, {}));
    }
  }

  async function runLoop(): Promise<void> {
    let cleanedUpAt = -Infinity;
    while (!stopped.signal.aborted) {
      const checkMs = await runAll().catch((error: unknown) => {
        log.warn({ err: error }, 'import: running imports failed');
        return 0;
      });
      if (performance.now() - cleanedUpAt > CLEANUP_INTERVAL_MS) {
        cleanedUpAt = performance.now();
        await deleteOld().catch((error: unknown) => log.warn({ err: error }, 'import: deleting old imports failed'));
      }
      const idleMs = Math.max(INTERVAL_MS, IDLE_FACTOR * checkMs);
      await wait(idleMs, undefined, { signal: stopped.signal, ref: false }).catch(() => {});
    }
  }

  const loopEnded = runLoop();
  return () => {
    stopped.abort();
    return loopEnded;
  };
}
