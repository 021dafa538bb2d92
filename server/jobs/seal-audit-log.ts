import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { SEAL_BATCH_SIZE, sealAuditLog, findUnsealedCompanies } from '../../entities/audit/seal-statements.ts';

/** Minimum number of milliseconds between two runs. The newest events stay unsealed for about this long. */
const INTERVAL_MS = 1000;
/** Idle time after a run, as a multiple of the duration of the query for companies. Bounds the load of that query. */
const IDLE_FACTOR = 20;

/**
 * Starts a job that seals the audit events of every company. An error for one company is logged, does not affect other
 * companies, and is retried in the next run. If several processes share a database, only one seals a company at a time.
 * @returns a function that stops the job and resolves when the current statement has ended
 */
export function startSealing(database: Database, log: Pick<Logger, 'warn'>): () => Promise<void> {
  const stopped = new AbortController();
  const session = new Session(database, null, 'seal-audit-log');

  /** @returns the duration of the query for companies in milliseconds */
  async function sealCompanies(): Promise<number> {
    const start = performance.now();
    const companies = await session.run(findUnsealedCompanies, {});
    const queryMs = performance.now() - start;
    for (const { id } of companies) {
      await sealAll(id).catch((error: unknown) => {
        if (error instanceof ApiError) throw error; // the database is unavailable, so the other companies are skipped
        log.warn({ err: error, company: id }, 'audit log: sealing failed');
      });
    }
    return queryMs;
  }

  async function sealAll(company: number): Promise<void> {
    const operator = session.asOperator(company);
    for (let sealed = SEAL_BATCH_SIZE; sealed === SEAL_BATCH_SIZE && !stopped.signal.aborted;) {
      ({ sealed } = await operator.one(sealAuditLog, {}));
    }
  }

  async function runLoop(): Promise<void> {
    while (!stopped.signal.aborted) {
      const queryMs = await sealCompanies().catch((error: unknown) => {
        log.warn({ err: error }, 'audit log: sealing failed');
        return 0;
      });
      await wait(Math.max(INTERVAL_MS, IDLE_FACTOR * queryMs), undefined, { signal: stopped.signal, ref: false }).catch(
        () => {},
      );
    }
  }

  const loopEnded = runLoop();
  return () => {
    stopped.abort();
    return loopEnded;
  };
}
