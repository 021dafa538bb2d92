import { readStatement, defineStatement } from '../statements/define-statement.ts';
import type { LeakedKeyPolicy } from './company.ts';
import { OPERATOR } from './user.ts';

export interface CompanyRow {
  id: number;
  name: string;
  leakedKeys: LeakedKeyPolicy;
  createdAt: string;
}

const COLUMNS = `id, name, leaked_keys as "leakedKeys", created_at as "createdAt"`;

/**
 * Inserts a company and its operator user, to whom the company's first event is attributed. The statement draws the id
 * itself, so it also sets `app.company`.
 */
export const insertCompany = defineStatement<{ name: string }, CompanyRow>(
  'company.insert',
  ({ name }) => `with new as materialized (select nextval('company_id_seq')::int as id),
  session_settings as materialized (select new.id,
    set_config('app.company', new.id::text, true),
    set_config('app.user', '${OPERATOR.uniqueId}', true) from new),
  company as (insert into company (id, name) select id, ${name} from session_settings returning *),
  operator as (
    insert into company_user (company_id, unique_id, kind, name)
    select id, '${OPERATOR.uniqueId}', '${OPERATOR.kind}', '${OPERATOR.name}' from company)
  select ${COLUMNS} from company`,
);

export const listCompanies = readStatement<object, CompanyRow>(
  'company.list',
  `select ${COLUMNS} from company order by id`,
  'all companies',
);

/** Updates the policy for leaked keys. No row if there is no such company. */
export const updateCompany = defineStatement<{ leakedKeys: LeakedKeyPolicy }, CompanyRow>(
  'company.update',
  ({ leakedKeys, company }) =>
    `update company set leaked_keys = ${leakedKeys} where id = ${company} returning ${COLUMNS}`,
);

export const companyExists = readStatement<{ id: number }, { id: number }>(
  'company.exists',
  ({ id }) => `select id from company where id = ${id}`,
  'all companies',
);

/** Name of the session's company. */
export const ownCompanyName = readStatement<object, { name: string }>(
  'company.own-name',
  ({ company }) => `select name from company where id = ${company}`,
);
