import { ALL_COMPANIES } from '../../entities/statements/define-statement.ts';
import { isForeignKeyViolation } from '../errors.ts';
import type { Owner, OwnerQuery } from '../driver.ts';
import { erasePlan } from './plan.ts';
import type { ErasePlan, ErasedTable } from './plan.ts';

/** Numbers of deleted rows by table. */
export type ErasedRows = Record<string, number>;

/** The company is neither closed nor moved away, or no erase of it has begun. The message is one line. */
export class NotErasableError extends Error {}

/**
 * Begins the work of a transaction: the triggers let the owner of the tables delete rows of this company, and the company keeps its
 * state until the end. Plans use indexes, as most rows of a table may belong to the company.
 * @throws NotErasableError
 */
async function beginErasing(query: OwnerQuery, company: number, lock = 'key share'): Promise<void> {
  await query(
    `select set_config('app.erase', $1, true), set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)`,
    [String(company)],
  );
  await actFor(query, company);
  const rows = await query(
    `select id from company where id = $1 and (closed_at is not null or moved_to is not null) and erasing_at is not null
    for ${lock}`,
    [company],
  );
  if (rows.length === 0) throw new NotErasableError(`company ${company}: is not being erased in this database`);
}

/** Sets the rows that policies let the next statements reach. */
const actFor = (query: OwnerQuery, company: number | typeof ALL_COMPANIES): Promise<unknown[]> =>
  query(`select set_config('app.company', $1, true)`, [String(company)]);

/** Deletes some rows of a table in one transaction, with the persons who then belong to no company. */
export async function deleteBatch(
  owner: Owner,
  plan: ErasePlan,
  { company, table, limit }: { company: number; table: ErasedTable; limit: number },
): Promise<ErasedRows> {
  return owner.transaction(async (query) => {
    await beginErasing(query, company);
    return deleteRows(query, plan, { company, table, limit });
  });
}

/** The same within a transaction. */
async function deleteRows(
  query: OwnerQuery,
  plan: ErasePlan,
  { company, table, limit }: { company: number; table: ErasedTable; limit: number },
): Promise<ErasedRows> {
  const { name, isCompanyScoped, personColumn, keptColumn } = table;
  await actFor(query, isCompanyScoped ? company : ALL_COMPANIES);
  const isOther =
    keptColumn === null ? '' : ` and ${keptColumn} < (select max(${keptColumn}) from "${name}" where company_id = $1)`;
  // The array makes PostgreSQL find the rows by their position. A row that was changed meanwhile is found by the next batch.
  const statement = `delete from "${name}" where company_id = $1 and ctid = any(array(
    select ctid from "${name}" where company_id = $1${isOther} limit $2))`;
  if (personColumn === null) return { [name]: await count(query, statement, [company, limit]) };
  const deleted = await query<{ person: string | null }>(`${statement} returning ${personColumn} as person`, [
    company,
    limit,
  ]);
  const persons = deleted.flatMap(({ person }) => person ?? []);
  const rows = { [name]: deleted.length };
  return persons.length === 0 ? rows : { ...rows, ...(await deletePersons(query, plan, company, persons)) };
}

/** Deletes those persons who belong to no company any more, with everything of them. */
async function deletePersons(
  query: OwnerQuery,
  { tables, ofPersons, cleared }: ErasePlan,
  company: number,
  persons: readonly string[],
): Promise<ErasedRows> {
  await actFor(query, ALL_COMPANIES);
  // A person who joins another company at the same time waits, or is found by the next statement.
  await query('select unique_id from person where unique_id = any($1::uuid[]) order by unique_id for update', [
    persons,
  ]);
  const memberships = tables.filter(({ personColumn }) => personColumn !== null);
  const belongsTo = memberships.map(
    ({ name, personColumn }) => `exists (select from "${name}" m where m.${personColumn} = p.id)`,
  );
  const left = await query<{ id: string }>(
    `select p.id from unnest($1::uuid[]) p(id) where not (${belongsTo.join(' or ')})`,
    [persons],
  );
  const ids = left.map(({ id }) => id);
  const rows: ErasedRows = {};
  for (const { table, column } of [...ofPersons, { table: 'person', column: 'unique_id' }])
    rows[table] = await count(query, `delete from "${table}" where ${column} = any($1::uuid[])`, [ids]);
  for (const { table, column } of cleared)
    await query(`update "${table}" set ${column} = null where ${column} = $1 and unique_id = any($2::uuid[])`, [
      company,
      persons,
    ]);
  return rows;
}

/** Runs a statement that changes rows. @returns their number */
async function count(query: OwnerQuery, text: string, values: readonly unknown[]): Promise<number> {
  const [row] = await query<{ rows: number }>(
    `with changed as (${text} returning 1) select count(*)::int as rows from changed`,
    values,
  );
  return row?.rows ?? 0;
}

/** Adds numbers of rows to others. */
export function addRows(total: ErasedRows, added: ErasedRows): void {
  for (const [table, rows] of Object.entries(added)) total[table] = (total[table] ?? 0) + rows;
}

/** Rows of the first batch of a table, and the maximum. The size follows the time that a batch takes. */
const BATCH_ROWS = { first: 100, max: 5000 };
/** Maximum number of rows of a table that were added during the erase, by requests that had begun before the close. */
const LATE_ROWS = 2000;

/** Access to what a company has. */
export interface EraseAccess {
  owner: Owner;
  /** Removes files of the company for some seconds: the bytes of each before its row. */
  removeFiles: (company: number) => Promise<RemovedFiles>;
}

export interface RemovedFiles {
  removed: number;
  state: 'more' | 'none left' | 'in use';
}

/** Result of a step. */
export interface ErasedStep {
  rows: ErasedRows;
  /** Table at which the next step begins; null after the end of the company. */
  next: number | null;
}

/**
 * Erases rows of a company for some time, in batches with a transaction each. A killed step leaves the company closed, and the next
 * erase continues: it begins at the first table. The last step deletes the company and keeps the head of its audit log.
 * @param from table at which the step begins: 0, or `next` of the previous step
 * @throws NotErasableError unless the company is closed or was moved away, and an erase of it has begun
 */
export async function eraseStep(
  { owner, removeFiles }: EraseAccess,
  { company, from, durationMs }: { company: number; from: number; durationMs: number },
): Promise<ErasedStep> {
  const end = performance.now() + durationMs;
  const plan = await erasePlan();
  const rows: ErasedRows = {};
  for (let index = from; ;) {
    const table = plan.tables[index];
    if (table === undefined) return { rows, next: (await endCompany(owner, plan, company, rows)) ? null : 0 };
    if (table.hasBytes) {
      const { removed, state } = await removeFiles(company);
      addRows(rows, { [table.name]: removed });
      if (state !== 'more') index = state === 'in use' ? 0 : index + 1;
    } else if (await eraseTable({ owner, plan, company, table, rows, end })) index += 1;
    if (performance.now() >= end) return { rows, next: index };
  }
}

interface TableWork {
  owner: Owner;
  plan: ErasePlan;
  company: number;
  table: ErasedTable;
  rows: ErasedRows;
  end: number;
}

/**
 * Deletes the rows of a table. Those to which a request has added a child meanwhile are left to the end.
 * @returns false if the time ended before them
 */
async function eraseTable({ owner, plan, company, table, rows, end }: TableWork): Promise<boolean> {
  let limit = BATCH_ROWS.first;
  for (;;) {
    const start = performance.now();
    const deleted = await deleteBatch(owner, plan, { company, table, limit }).catch(noneIfReferenced);
    addRows(rows, deleted);
    if ((deleted[table.name] ?? 0) < limit) return true;
    const ms = performance.now() - start;
    if (ms > owner.batchMs) limit = Math.max(1, Math.floor(limit / 2));
    else if (ms < owner.batchMs / 2) limit = Math.min(BATCH_ROWS.max, limit * 2);
    if (performance.now() >= end) return false;
  }
}

function noneIfReferenced(error: unknown): ErasedRows {
  if (isForeignKeyViolation(error)) return {};
  throw error;
}

/**
 * Deletes the company, and what requests added meanwhile that had begun before the close. Locks keep them out, parents before their
 * children. Keeps the head of the audit log.
 * @returns false if there is more to delete than one transaction should
 */
function endCompany(owner: Owner, plan: ErasePlan, company: number, rows: ErasedRows): Promise<boolean> {
  return owner.transaction(async (query) => {
    await beginErasing(query, company, 'update');
    for (const table of plan.tables.toReversed())
      if ((await lockRows(query, table, company)) > (table.hasBytes ? 0 : LATE_ROWS)) return false;
    const late: ErasedRows = {};
    for (const table of plan.tables) addRows(late, await deleteRows(query, plan, { company, table, limit: LATE_ROWS }));
    addRows(late, await deleteCompany(query, plan, company));
    addRows(rows, late);
    await query(`insert into rewrite_request (scope) values ('all') on conflict do nothing`);
    return true;
  });
}

/** Locks the rows of a table until the end of the transaction, so that no request adds a child. @returns their number, up to the limit */
async function lockRows(query: OwnerQuery, { name, isCompanyScoped }: ErasedTable, company: number): Promise<number> {
  await actFor(query, isCompanyScoped ? company : ALL_COMPANIES);
  const [locked] = await query<{ rows: number }>(
    `select count(*)::int as rows from (select from "${name}" where company_id = $1 limit $2 for update) locked`,
    [company, LATE_ROWS + 1],
  );
  return locked?.rows ?? 0;
}

async function deleteCompany(query: OwnerQuery, { tables, cleared }: ErasePlan, company: number): Promise<ErasedRows> {
  const rows: ErasedRows = {};
  await actFor(query, company);
  const [head] = await query<{ sequence: number; hash: string }>(
    `select seq::float8 as sequence, encode(hash, 'hex') as hash from audit_seal where company_id = $1 order by seq desc limit 1`,
    [company],
  );
  if (head === undefined) throw new Error(`company ${company}: expected the head of its audit log`);
  for (const { name } of tables.filter(({ keptColumn }) => keptColumn !== null))
    rows[name] = await count(query, `delete from "${name}" where company_id = $1`, [company]);
  await actFor(query, ALL_COMPANIES);
  for (const { table, column } of cleared)
    await query(`update "${table}" set ${column} = null where ${column} = $1`, [company]);
  await query('insert into erased_company (id, sequence, hash) values ($1, $2, $3)', [
    company,
    head.sequence,
    head.hash,
  ]);
  await actFor(query, company);
  rows['company'] = await count(query, 'delete from company where id = $1', [company]);
  return rows;
}
