import { COMPANY_COLUMNS } from './statements.ts';
import type { CompanyRow } from './statements.ts';
import { defineStatement, readStatement } from '../statements/define-statement.ts';

/** Oldest version whose processes reject the keys and the members of a closed company. */
export const CLOSING_VERSION = '0.7.0';

/** Oldest version whose processes leave a frozen company as it is, and whose cells exchange companies. */
export const MOVING_VERSION = '0.10.0';

/**
 * Condition for a company that this cell serves, in SQL: it is open, was not moved away and has arrived. Every statement that finds
 * keys or people of all companies has it.
 * @param id SQL of its id
 */
export const isServed = (id: string) => `exists (select from company served where served.id = ${id}
  and served.closed_at is null and served.moved_to is null and served.arriving_at is null)`;

/**
 * Condition for a company that this cell serves, or has moved away, in SQL. Requests for the latter learn its new address.
 * @param alias of `company`
 */
export const isServedOrMoved = (alias: string) => `${alias}.closed_at is null and ${alias}.arriving_at is null`;

/**
 * Condition for a company for which jobs work, in SQL: it is served and not frozen. Every statement that finds work of all
 * companies has it.
 * @param id SQL of its id
 */
export const isWritable = (id: string) => `exists (select from company writable where writable.id = ${id}
  and writable.closed_at is null and writable.frozen_at is null)`;

/**
 * Condition for a company that is not frozen, in SQL, also a closed one. Every statement that deletes old rows of all companies has it.
 * @param id SQL of its id
 */
export const isUnfrozen = (id: string) =>
  `exists (select from company unfrozen where unfrozen.id = ${id} and unfrozen.frozen_at is null)`;

/** The company of the session, also while it is closed or after it was moved away. */
export const companyIsOpen = readStatement<object, { open: boolean; movedTo: string | null }>(
  'company.is-open',
  ({ company }) => `select closed_at is null as open, moved_to as "movedTo" from company where id = ${company}`,
);

interface LockedCompany {
  name: string;
  closedAt: string | null;
  /** Time at which an erase began; null without one. */
  erasingAt: string | null;
  /** URL of the cell to which the company was moved; null while it is in this one. */
  movedTo: string | null;
  /** Milliseconds since the company was closed, or was frozen before it was moved away; null while it is open. */
  closedForMs: number | null;
}

/** Locks the company of the session until the end of the transaction. */
export const lockCompany = defineStatement<object, LockedCompany>(
  'company.lock',
  ({ company }) => `select name, closed_at as "closedAt", erasing_at::text as "erasingAt", moved_to as "movedTo",
    (extract(epoch from clock_timestamp() - coalesce(closed_at, case when moved_to is not null then frozen_at end)) * 1000)::float8 as "closedForMs"
  from company where id = ${company} for update`,
);

/** Closes or opens the company of the session. No row if it is closed or open already. */
export const setClosed = defineStatement<{ closed: boolean }, CompanyRow>(
  'company.set-closed',
  ({ company, closed }) => `update company set closed_at = case when ${closed}::boolean then now() end
  where id = ${company} and (closed_at is not null) <> ${closed} returning ${COMPANY_COLUMNS}`,
);

/** Names of the companies that this cell serves, at most two. */
export const listSomeServed = readStatement<object, { name: string }>(
  'company.some-served',
  `select name from company where ${isServed('company.id')} limit 2`,
  'all companies',
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

interface MovedCompany {
  company: number;
  movedTo: string;
  /** Time of the switch. */
  since: string;
}

/** Companies that were moved away, and are not erased in this cell. */
export const listMovedCompanies = readStatement<object, MovedCompany>(
  'company.list-moved',
  `select c.id as company, c.moved_to as "movedTo", coalesce(m.changed_at, c.frozen_at) as since
  from company c left join company_move m on m.id = c.id and m.state = 'switched'
  where c.moved_to is not null order by c.id`,
  'all companies',
);

/** Age in seconds of the oldest freeze of a company that was not moved away; 0 without one. Reads all companies. */
export const findOldestFreeze = readStatement<object, { seconds: number }>(
  'company.oldest-freeze',
  `select coalesce(max(extract(epoch from clock_timestamp() - frozen_at)), 0)::float8 as seconds
  from company where frozen_at is not null and moved_to is null`,
  'all companies',
);
