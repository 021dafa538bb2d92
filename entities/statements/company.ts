import { statement } from '../database/statement.ts';
import type { LeakedKeys } from '../company.ts';
import { OPERATOR } from '../user.ts';

export interface CompanyRow {
  id: number;
  name: string;
  leaked_keys: LeakedKeys;
  created_at: string;
}

/** A new company and the operator's user in it, which the company's first event is attributed to. */
export const insertCompany = statement<{ name: string }, CompanyRow>(
  'company.insert',
  `with new as materialized (select nextval('company_id_seq')::int as id),
  me as materialized (select new.id,
    set_config('app.company', new.id::text, true),
    set_config('app.user', '${OPERATOR.uniqueId}', true),
    set_config('app.key', '', true),
    set_config('app.request', :request::text, true) from new),
  company as (insert into company (id, name) select id, :name from me returning *),
  operator as (
    insert into company_user (company_id, unique_id, kind, name)
    select id, '${OPERATOR.uniqueId}', '${OPERATOR.kind}', '${OPERATOR.name}' from company)
  select id, name, leaked_keys, created_at from company`,
);

export const listCompanies = statement<object, CompanyRow>(
  'company.list',
  'select id, name, leaked_keys, created_at from company order by id',
);

/** Changes what becomes of a company's leaked keys, as the operator's deed in that company; no row when there is none. */
export const updateCompany = statement<{ id: number; leakedKeys: LeakedKeys }, CompanyRow>(
  'company.update',
  `with me as materialized (select c.id,
    set_config('app.company', c.id::text, true),
    set_config('app.user', '${OPERATOR.uniqueId}', true),
    set_config('app.key', '', true),
    set_config('app.request', :request::text, true) from company c where c.id = :id)
  update company set leaked_keys = :leakedKeys from me where company.id = me.id
  returning company.id, company.name, company.leaked_keys, company.created_at`,
);

export const companyExists = statement<{ id: number }, { id: number }>(
  'company.exists',
  'select id from company where id = :id',
);
