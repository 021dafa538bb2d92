import { defineStatement, pipelinedRead, readStatement } from '../statements/define-statement.ts';
import type { LeakedKeyPolicy } from './company.ts';
import { OPERATOR } from './user.ts';

export interface CompanyRow {
  id: number;
  name: string;
  leakedKeys: LeakedKeyPolicy;
  createdAt: string;
  /** Null while the company is open. */
  closedAt: string | null;
}

export const COMPANY_COLUMNS = `id, name, leaked_keys as "leakedKeys", created_at as "createdAt", closed_at as "closedAt"`;

/** SQL that inserts a company. @param isDemo SQL of the column `is_demo` */
export const companyInsert = (
  name: string,
  isDemo: string,
) => `with new as materialized (select nextval('company_id_seq')::int as id),
  session_settings as materialized (select new.id,
    set_config('app.company', new.id::text, true),
    set_config('app.user', '${OPERATOR.uniqueId}', true) from new),
  company as (insert into company (id, name, is_demo) select id, ${name}, ${isDemo} from session_settings returning *),
  operator as (
    insert into company_user (company_id, unique_id, kind, name)
    select id, '${OPERATOR.uniqueId}', '${OPERATOR.kind}', '${OPERATOR.name}' from company)
  select ${COMPANY_COLUMNS} from company`;

/**
 * Inserts a company and its operator user, to whom the company's first event is attributed. The statement draws the id
 * itself, so it also sets `app.company`.
 */
export const insertCompany = defineStatement<{ name: string }, CompanyRow>('company.insert', ({ name }) =>
  companyInsert(name, 'false'),
);

export const listCompanies = readStatement<object, CompanyRow>(
  'company.list',
  `select ${COMPANY_COLUMNS} from company order by id`,
  'all companies',
);

/** Updates the policy for leaked keys. No row if there is no such company. */
export const updateCompany = defineStatement<{ leakedKeys: LeakedKeyPolicy }, CompanyRow>(
  'company.update',
  ({ leakedKeys, company }) =>
    `update company set leaked_keys = ${leakedKeys} where id = ${company} returning ${COMPANY_COLUMNS}`,
);

/** A company, also a closed one. */
export const companyExists = readStatement<{ id: number }, { id: number; isErasing?: boolean }>(
  'company.exists',
  ({ id }) => `select id, erasing_at is not null as "isErasing" from company where id = ${id}`,
  'all companies',
);

/** Settings of a company that its admins change. */
export interface CompanySettings {
  name: string;
  timeZone: string;
}

const SETTINGS = 'name, time_zone as "timeZone"';

/** Settings of the session's company. */
export const ownCompany = pipelinedRead<object, CompanySettings>(
  'company.own',
  ({ company }) => `select ${SETTINGS} from company where id = ${company}`,
);

/** Changes settings of the session's company; null keeps one. No row if nothing changes. */
export const updateSettings = defineStatement<
  { [Setting in keyof CompanySettings]: CompanySettings[Setting] | null },
  CompanySettings
>(
  'company.update-settings',
  ({ company, name, timeZone }) => `update company
  set name = coalesce(${name}, name), time_zone = coalesce(${timeZone}, time_zone)
  where id = ${company} and (name, time_zone) is distinct from (coalesce(${name}, name), coalesce(${timeZone}, time_zone))
  returning ${SETTINGS}`,
);
