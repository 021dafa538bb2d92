import { COMPANY_COLUMNS } from './statements.ts';
import type { CompanyRow } from './statements.ts';
import { defineStatement, readStatement } from '../statements/define-statement.ts';

/** Oldest version whose processes reject the keys and the members of a closed company. */
export const CLOSING_VERSION = '0.7.0';

/**
 * Condition for an open company, in SQL. Every statement that finds work or people of all companies has it.
 * @param id SQL of its id
 */
export const isOpen = (id: string) =>
  `exists (select from company open where open.id = ${id} and open.closed_at is null)`;

/** The company of the session, also while it is closed. */
export const companyIsOpen = readStatement<object, { open: boolean }>(
  'company.is-open',
  ({ company }) => `select closed_at is null as open from company where id = ${company}`,
);

interface LockedCompany {
  name: string;
  closedAt: string | null;
  /** Time at which an erase began; null without one. */
  erasingAt: string | null;
  /** Milliseconds since the company was closed; null while it is open. */
  closedForMs: number | null;
}

/** Locks the company of the session until the end of the transaction. */
export const lockCompany = defineStatement<object, LockedCompany>(
  'company.lock',
  ({ company }) => `select name, closed_at as "closedAt", erasing_at::text as "erasingAt",
    (extract(epoch from clock_timestamp() - closed_at) * 1000)::float8 as "closedForMs"
  from company where id = ${company} for update`,
);

/** Closes or opens the company of the session. No row if it is closed or open already. */
export const setClosed = defineStatement<{ closed: boolean }, CompanyRow>(
  'company.set-closed',
  ({ company, closed }) => `update company set closed_at = case when ${closed}::boolean then now() end
  where id = ${company} and (closed_at is not null) <> ${closed} returning ${COMPANY_COLUMNS}`,
);

export const findCompany = readStatement<object, CompanyRow>(
  'company.get',
  ({ company }) => `select ${COMPANY_COLUMNS} from company where id = ${company}`,
);

/** Begins an erase, or continues one. */
export const setErasing = defineStatement<object, { erasingAt: string }>(
  'company.set-erasing',
  ({ company }) => `update company set erasing_at = coalesce(erasing_at, now())
  where id = ${company} returning erasing_at::text as "erasingAt"`,
);

/** A company that was erased, with the head of its audit log. */
export interface ErasedCompanyRow {
  id: number;
  erasedAt: string;
  sequence: number;
  hash: string;
}

/** The erased companies, or one of them. */
export const listErasedCompanies = readStatement<{ id: number | null }, ErasedCompanyRow>(
  'company.list-erased',
  ({ id }) => `select id, erased_at as "erasedAt", sequence::float8 as sequence, hash from erased_company
  where ${id}::int is null or id = ${id} order by id`,
  'all companies',
);

/** True if the company of the session has events without a seal. */
export const hasUnsealedEvents = readStatement<object, { unsealed: boolean }>(
  'company.has-unsealed-events',
  ({ company }) => `select exists (
    select from audit_event e left join audit_watermark w on w.company_id = e.company_id
    where e.company_id = ${company} and e.id > coalesce(w.watermark, 0) and not exists (
      select from audit_seal s where s.company_id = e.company_id and s.event_id = e.id)) as unsealed`,
);
