import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../entities/database/database.ts';
import { Session } from '../entities/database/session.ts';
import { Refusal } from '../entities/refusal.ts';
import { SEALED_AT_ONCE, sealAudit, unsealedCompanies } from '../entities/statements/audit-seal.ts';

/** Milliseconds between two rounds: for about so long the newest events are not sealed. */
const INTERVAL = 1000;
/** Looking for companies takes at most one part in so many of the time, however many there are. */
const REST = 20;

/**
 * Seals the audit events of every company, round by round, outside any request. What fails is logged and tried again
 * in the next round, and keeps no other company from its turn; processes on one database leave a company to the one that has it.
 * @returns stops it: resolves when the statement that runs, if any, has ended
 */
export function startSealing(database: Database, log: Pick<Logger, 'warn'>): () => Promise<void> {
  const stopped = new AbortController();
  const session = new Session(database, null, 'sealing');

  /** @returns milliseconds that looking for companies took */
  async function round(): Promise<number> {
    const start = performance.now();
    const companies = await session.run(unsealedCompanies, {});
    const looked = performance.now() - start;
    for (const { id } of companies) {
      await sealAll(id).catch((error: unknown) => {
        if (error instanceof Refusal) throw error; // the database is away: the others need not be tried
        log.warn({ err: error, company: id }, 'audit events were not sealed');
      });
    }
    return looked;
  }

  async function sealAll(company: number): Promise<void> {
    const operator = session.asOperator(company);
    for (let sealed = SEALED_AT_ONCE; sealed === SEALED_AT_ONCE && !stopped.signal.aborted;) {
      ({ sealed } = await operator.only(sealAudit, {}));
    }
  }

  async function rounds(): Promise<void> {
    while (!stopped.signal.aborted) {
      const looked = await round().catch((error: unknown) => {
        log.warn({ err: error }, 'audit events were not sealed');
        return 0;
      });
      await wait(Math.max(INTERVAL, REST * looked), undefined, { signal: stopped.signal, ref: false }).catch(() => {});
    }
  }

  const ended = rounds();
  return () => {
    stopped.abort();
    return ended;
  };
}
