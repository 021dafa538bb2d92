import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from '../../database/database.ts';
import { Pace } from '../../database/pace.ts';
import type { Session } from '../../database/session.ts';
import {
  SEAL_BATCH_SIZE,
  findLastEvent,
  findSealLag,
  findUnsealedCompanies,
  hasUnsealedEvents,
  sealAuditLog,
} from '../../entities/audit/seal-statements.ts';
import type { CompaniesHandler, CompaniesJob } from '../jobs/job.ts';

/** Milliseconds from a change to its seal, so that one statement seals several. */
const COLLECT_MS = 50;

/** Milliseconds between two searches for events that another process seals. */
const POLL_MS = 25;

/**
 * Seals the events of a company that wait. Another process may be sealing them: its seals are awaited. Events that are added
 * meanwhile may stay unsealed: in a busy company there is always one.
 * @returns false if events from before the call are still unsealed after `maxMs`
 */
export async function sealWaiting(session: Session, maxMs: number): Promise<boolean> {
  const { id: upTo } = await session.one(findLastEvent, {});
  for (const end = performance.now() + maxMs; ;) {
    const { sealed } = await session.one(sealAuditLog, {});
    if (sealed === SEAL_BATCH_SIZE) continue;
    if (!(await session.one(hasUnsealedEvents, { upTo })).unsealed) return true;
    if (performance.now() > end) return false;
    await wait(POLL_MS);
  }
}

/** Seals the audit events of every company that `sealingChanges` of no process has sealed: of killed processes, and backlogs. */
export const sealing: CompaniesJob = {
  kind: 'companies',
  name: 'seal-audit-log',
  failure: 'audit log: sealing failed',
  companyFailure: 'audit log: sealing failed',
  intervalMs: 1000,
  gauges: [
    {
      name: 'audit_seal_lag_seconds',
      help: 'Age of the oldest audit event that is not sealed; NaN if the query fails',
      statement: findSealLag,
      columns: ['seconds'],
    },
  ],
  open: ({ session }) => ({
    companies: async () => (await session.run(findUnsealedCompanies, {})).map(({ id }) => id),
    runSlice: (company) => sealBatch(session, company),
  }),
};

/** Seals the audit events of the companies that this process changes, soon after the commit. */
export const sealingChanges: CompaniesJob = {
  kind: 'companies',
  name: 'seal-changes',
  failure: 'audit log: sealing failed',
  companyFailure: 'audit log: sealing failed',
  intervalMs: 60_000, // `next` starts the runs
  open: ({ database, session }) => new ChangeSealer(database, session),
};

/** Seals at most a batch of each changed company in a run, and leaves a backlog to `sealing`. */
class ChangeSealer implements CompaniesHandler {
  readonly #database: Database;
  readonly #session: Session<null>;
  readonly #pace = new Pace();

  constructor(database: Database, session: Session<null>) {
    this.#database = database;
    this.#session = session;
  }

  async companies(): Promise<number[]> {
    return this.#database.changedCompanies.take();
  }

  async runSlice(company: number): Promise<boolean> {
    await this.#pace.round(() => sealBatch(this.#session, company));
    return false;
  }

  /** Resolves when events of changed companies are due. */
  async next(): Promise<void> {
    await this.#database.changedCompanies.next();
    await wait(Math.max(COLLECT_MS, this.#pace.pauseMs), undefined, { ref: false });
  }
}

/** Seals the next events of a company. @returns true if there may be more */
async function sealBatch(session: Session<null>, company: number): Promise<boolean> {
  return (await session.asOperator(company).one(sealAuditLog, {})).sealed === SEAL_BATCH_SIZE;
}
