import { defineStatement, pipelinedRead, readStatement } from '../statements/define-statement.ts';
import type { Placeholders } from '../statements/define-statement.ts';
import { MAX_ID } from '../ids.ts';
import type { LeakedKeyPolicy } from './company.ts';
import { OPERATOR } from './user.ts';

export interface CompanyRow {
  id: number;
  name: string;
  leakedKeys: LeakedKeyPolicy;
  createdAt: string;
  /** Null while the company is open. */
  closedAt: string | null;
  /** URL of the cell to which the company was moved; null while it is in this one. */
  movedTo: string | null;
  /** Null unless the company is frozen. */
  frozenAt: string | null;
}

export const COMPANY_COLUMNS = `id, name, leaked_keys as "leakedKeys", created_at as "createdAt", closed_at as "closedAt",
  moved_to as "movedTo", frozen_at as "frozenAt"`;

/** Name of a new company, and the smallest id that it may get. */
export interface NewCompany {
  name: string;
  idStart: number;
}

/**
 * SQL that inserts a company. Its id is the next number of the sequence, counted from `idStart`: so the ids of an installation ascend,
 * and no process needs the privilege to set the sequence. A number that a company has, or had until it was erased, is skipped: a
 * company that came from another cell keeps its id. No row if none is left, or if another company took the id meanwhile.
 * @param isDemo SQL of the column `is_demo`
 */
export const companyInsert = (
  { name, idStart }: Placeholders<NewCompany>,
  isDemo: string,
) => `with recursive drawn (id) as (
    select nextval('company_id_seq') + ${idStart}::int - 1
    union all
    select nextval('company_id_seq') + ${idStart}::int - 1 from drawn
    where exists (select from company used where used.id = drawn.id)
      or exists (select from erased_company used where used.id = drawn.id)),
  new as materialized (select max(id)::int as id from drawn having max(id) <= ${MAX_ID}),
  session_settings as materialized (select new.id,
    set_config('app.company', new.id::text, true),
    set_config('app.user', '${OPERATOR.uniqueId}', true) from new),
  inserted as (
    insert into company (id, name, is_demo) select id, ${name}, ${isDemo} from session_settings
    on conflict (id) do nothing returning *),
  operator as (
    insert into company_user (company_id, unique_id, kind, name)
    select id, '${OPERATOR.uniqueId}', '${OPERATOR.kind}', '${OPERATOR.name}' from inserted),
  search as (insert into search_reader (company_id) select id from inserted)
  select ${COMPANY_COLUMNS} from inserted`;

/**
 * Inserts a company and its operator user, to whom the company's first event is attributed. The statement draws the id
 * itself, so it also sets `app.company`.
 */
export const insertCompany = defineStatement<NewCompany, CompanyRow>(
  'company.insert',
  (placeholders) => companyInsert(placeholders, 'false'),
  'all companies',
);

/** All companies, without those that are arriving from another cell. */
export const listCompanies = readStatement<object, CompanyRow>(
  'company.list',
  `select ${COMPANY_COLUMNS} from company where arriving_at is null order by id`,
  'all companies',
);

/** Updates the policy for leaked keys. No row if there is no such company. */
export const updateCompany = defineStatement<{ leakedKeys: LeakedKeyPolicy }, CompanyRow>(
  'company.update',
  ({ leakedKeys, company }) =>
    `update company set leaked_keys = ${leakedKeys} where id = ${company} returning ${COMPANY_COLUMNS}`,
);

/** A company, also one that is closed or was moved away. */
export const companyExists = readStatement<
  { id: number },
  { id: number; isErasing?: boolean; isFrozen?: boolean; movedTo?: string | null }
>(
  'company.exists',
  ({
    id,
  }) => `select id, erasing_at is not null as "isErasing", frozen_at is not null as "isFrozen", moved_to as "movedTo"
  from company where id = ${id}`,
  'all companies',
);

/** Settings of a company that its admins change. */
export interface CompanySettings {
  name: string;
  timeZone: string;
  /** True: closed tasks, their comments and their evidence do not change. */
  lockClosed: boolean;
}

const SETTINGS = 'name, time_zone as "timeZone", lock_closed as "lockClosed"';

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
  ({ company, name, timeZone, lockClosed }) => `update company
  set name = coalesce(${name}, name), time_zone = coalesce(${timeZone}, time_zone), lock_closed = coalesce(${lockClosed}, lock_closed)
  where id = ${company} and (name, time_zone, lock_closed)
    is distinct from (coalesce(${name}, name), coalesce(${timeZone}, time_zone), coalesce(${lockClosed}, lock_closed))
  returning ${SETTINGS}`,
);
