import { defineStatement, readStatement } from '../statements/define-statement.ts';
import { companyInsert } from './statements.ts';
import type { CompanyRow, NewCompany } from './statements.ts';

/** Inserts a company whose times may be in the past. See `insertCompany`. */
export const insertDemoCompany = defineStatement<NewCompany, CompanyRow>(
  'company.insert-demo',
  (placeholders) => companyInsert(placeholders, 'true'),
  'all companies',
);

/** Keeps another demo company from being created until the end of the transaction, so that no two have one name. */
export const lockDemoCompanies = defineStatement<object, never>(
  'company.lock-demo',
  `select pg_advisory_xact_lock(hashtextextended('demo company', 0))`,
  'all companies',
);

/** A company with a name. */
export const findCompanyByName = readStatement<{ name: string }, { id: number }>(
  'company.by-name',
  ({ name }) => `select id from company where name = ${name} order by id limit 1`,
  'all companies',
);

/**
 * Moves what the transaction has written in a demo company to a time in the past, not before its last event. The events, and the
 * times of the rows that they name, are moved (migrations: `set_demo_time`).
 * @returns the number of its events
 */
export const setDemoTime = defineStatement<{ at: string }, { events: number }>(
  'company.set-demo-time',
  ({ at }) => `select set_demo_time(${at}::timestamptz) as events`,
);
