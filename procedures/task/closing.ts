import { setImmediate as nextTurn } from 'node:timers/promises';
import { fillClosings, listCompaniesToFill } from '../../entities/task/closing.ts';
import { FIRST_ID } from '../../entities/ids.ts';
import type { CompaniesJob } from '../jobs/job.ts';

/**
 * Fills in when and by whom tasks were closed that have no `closedAt`: those from before version 0.19.0, also of companies that arrive
 * from another cell. A trigger keeps it for all others, so that a company is done once it has been filled.
 */
export const taskClosings: CompaniesJob = {
  kind: 'companies',
  name: 'fill-task-closings',
  failure: 'tasks: filling in when they were closed failed',
  companyFailure: 'tasks: filling in when those of a company were closed failed',
  intervalMs: 30_000,
  open({ session }) {
    /** Companies without such tasks, each with its last arrival. */
    const filled = new Map<number, string | null>();
    let arrivals = new Map<number, string | null>();
    /** Last tasks that were filled in, by company. */
    const positions = new Map<number, string>();
    return {
      async companies() {
        const companies = await session.run(listCompaniesToFill, {});
        arrivals = new Map(companies.map(({ id, arrival }) => [id, arrival]));
        return companies.flatMap(({ id, arrival }) => (filled.get(id) === arrival ? [] : [id]));
      },
      async runSlice(company) {
        const afterId = positions.get(company) ?? FIRST_ID;
        const { last, isDone } = await session.asOperator(company).one(fillClosings, { afterId });
        if (isDone) filled.set(company, arrivals.get(company) ?? null);
        if (last === null) positions.delete(company);
        else positions.set(company, last);
        // The promises of the embedded database resolve before requests and timers have their turn.
        await nextTurn();
        return last !== null;
      },
    };
  },
};
