import { countOpenImports } from '../../entities/import/progress.ts';
import type { CompaniesJob } from '../jobs/job.ts';
import { ImportRunner } from './runner.ts';

/** Rows of imports that this process applied, by result. */
const importRows = { created: 0, updated: 0, unchanged: 0, failed: 0 };

/** Runs the imports of all companies. */
export const importing: CompaniesJob = {
  kind: 'companies',
  name: 'run-imports',
  failure: 'import: running imports failed',
  companyFailure: 'import: a slice failed',
  intervalMs: 500,
  gauges: [
    {
      name: 'imports',
      help: 'Queued and running imports of all companies; NaN if the query fails',
      statement: countOpenImports,
      columns: ['queued', 'running'],
      label: 'state',
    },
  ],
  counters: [
    { name: 'import_rows_total', help: 'Import rows that this process applied, by result', counts: importRows },
  ],
  open: ({ database }) => new ImportRunner(database, (result, rows) => (importRows[result] += rows)),
};
