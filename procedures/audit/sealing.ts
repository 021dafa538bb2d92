import {
  SEAL_BATCH_SIZE,
  findSealLag,
  findUnsealedCompanies,
  sealAuditLog,
} from '../../entities/audit/seal-statements.ts';
import type { CompaniesJob } from '../jobs/job.ts';

/** Seals the audit events of every company. The newest events stay unsealed for about one interval. */
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
    runSlice: async (company) => (await session.asOperator(company).one(sealAuditLog, {})).sealed === SEAL_BATCH_SIZE,
  }),
};
