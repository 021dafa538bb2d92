import { findOldestFreeze, listMovedCompanies } from '../../entities/company/closing.ts';
import { toIso } from '../../entities/statements/change-metadata.ts';
import type { IntervalJob } from './job.ts';

/** Says each day which companies were moved away and are not erased: members who are forgotten in the other cell are still here. */
export const movedCompanies: IntervalJob = {
  kind: 'interval',
  name: 'report-moved-companies',
  failure: 'company: listing those that were moved away failed',
  intervalMs: 86_400_000,
  gauges: [
    {
      name: 'company_oldest_freeze_seconds',
      help: 'Age of the oldest freeze of a company that was not moved away; 0 without one, NaN if the query fails',
      statement: findOldestFreeze,
      columns: ['seconds'],
    },
  ],
  run: async (session, { report }) => {
    for (const { since, ...moved } of await session.run(listMovedCompanies, {}))
      report?.({ ...moved, since: toIso(since) }, 'company: was moved away and is not erased');
  },
};
