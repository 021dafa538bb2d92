import { newUniqueId } from '../../entities/ids.ts';
import { findCheckpointCompanies, insertCheckpoints } from '../../entities/webhook/checkpoints.ts';
import { readCheckpoint } from '../audit/checkpoint.ts';
import type { CompaniesJob } from '../jobs/job.ts';

/**
 * Adds a delivery of `audit.checkpoint` for each endpoint that names the type, after each hour in which something happened.
 * `sending` delivers it. Contract, section 20.
 */
export const sendingCheckpoints: CompaniesJob = {
  kind: 'companies',
  name: 'send-checkpoints',
  failure: 'webhook: adding checkpoints failed',
  companyFailure: 'webhook: the checkpoint of a company failed',
  intervalMs: 60_000,
  open: ({ session, signing, now = () => new Date() }) =>
    signing && {
      companies: async () =>
        (await session.run(findCheckpointCompanies, { now: now().toISOString() })).map(({ id }) => id),
      runSlice: async (company) => {
        const at = now().toISOString();
        const inCompany = session.asOperator(company);
        const checkpoint = await readCheckpoint(inCompany, signing.current);
        const { sequence } = checkpoint;
        await inCompany.run(insertCheckpoints, { now: at, sequence, messageId: newUniqueId(), checkpoint });
        return false;
      },
    },
};
