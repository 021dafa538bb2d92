import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { SEAL_BATCH_SIZE, sealAuditLog, findUnsealedCompanies } from '../../entities/statements/audit-seal.ts';

/** Milliseconds between two rounds: for about so long the newest events are not sealed. */
const INTERVAL_MS = 1000;
/** Looking for companies takes at most one part in so many of the time, however many there are. */
const IDLE_FACTOR = 20;

/**
 * Seals the audit events of every company, round by round, outside any request. What fails is logged and tried again
 * in the next round, and keeps no other company from its turn; processes on one database leave a company to the one that has it.
 * @returns stops it: resolves when the statement that runs, if any, has ended
 */
export function startSealing(database: Database, log: Pick<Logger, 'warn'>): () => Promise<void> {
  const stopped = new AbortController();
  const session = new Session(database, null, 'seal-audit-log');

  /** @returns milliseconds that looking for companies took */
  async function sealCompanies(): Promise<number> {
    const start = performance.now();
    const companies = await session.run(findUnsealedCompanies, {});
    const queryMs = performance.now() - start;
    for (const { id } of companies) {
      await sealAll(id).catch((error: unknown) => {
        if (error instanceof ApiError) throw error; // the database is away: the others need not be tried
        log.warn({ err: error, company: id }, 'audit events were not sealed');
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
        log.warn({ err: error }, 'audit events were not sealed');
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
