import { ALL_COMPANIES } from '../../entities/statements/define-statement.ts';
import { isForeignKeyViolation } from '../errors.ts';
import { actFor, addRows, beginErasing, count, deleteBatch, deleteRows } from './batch.ts';
import type { ErasedRows } from './batch.ts';
import type { Owner, OwnerQuery } from './owner.ts';
import { erasePlan } from './plan.ts';
import type { ErasePlan, ErasedTable } from './plan.ts';

/** Rows of the first batch of a table, and the maximum. The size follows the time that a batch takes. */
const BATCH_ROWS = { first: 100, max: 5000 };
/** Maximum number of rows of a table that were added during the erase, by requests that had begun before the close. */
const LATE_ROWS = 500;
/** Number of times that a step begins again, because a request has added a child of a row. */
const MAX_RESTARTS = 3;
/** Passes over the tables after which the end waits for another step. */
const MAX_PASSES = 5;

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
 * @param from table at which the step begins: 0, or `next` of the step before
 * @throws NotErasableError unless the company is closed and an erase of it has begun
 */
export async function eraseStep(
  { owner, removeFiles }: EraseAccess,
  { company, from, durationMs }: { company: number; from: number; durationMs: number },
): Promise<ErasedStep> {
  const end = performance.now() + durationMs;
  const plan = await erasePlan();
  const rows: ErasedRows = {};
  let restarts = 0;
  for (let index = from; ;) {
    const table = plan.tables[index];
    if (table === undefined) return { rows, next: (await endCompany(owner, plan, company, rows)) ? null : 0 };
    if (table.hasBytes) {
      const { removed, state } = await removeFiles(company);
      addRows(rows, { [table.name]: removed });
      if (state !== 'more') index = state === 'in use' ? 0 : index + 1;
    } else {
      const isEmpty = await eraseTable({ owner, plan, company, table, rows, end }).catch((error: unknown) => {
        if (!isForeignKeyViolation(error) || restarts === MAX_RESTARTS) throw error;
        restarts += 1;
        return undefined;
      });
      if (isEmpty === undefined) index = 0;
      else if (isEmpty) index += 1;
    }
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

/** @returns false if the time ended before the rows of the table */
async function eraseTable({ owner, plan, company, table, rows, end }: TableWork): Promise<boolean> {
  let limit = BATCH_ROWS.first;
  for (;;) {
    const start = performance.now();
    const deleted = await deleteBatch(owner, plan, { company, table, limit });
    addRows(rows, deleted);
    if ((deleted[table.name] ?? 0) < limit) return true;
    const ms = performance.now() - start;
    if (ms > owner.batchMs) limit = Math.max(1, Math.floor(limit / 2));
    else if (ms < owner.batchMs / 2) limit = Math.min(BATCH_ROWS.max, limit * 2);
    if (performance.now() >= end) return false;
  }
}

/**
 * Deletes the company, and what requests added meanwhile that had begun before the close: the lock on the company keeps them out.
 * Keeps the head of the audit log.
 * @returns false if there is more to delete than one transaction should
 */
function endCompany(owner: Owner, plan: ErasePlan, company: number, rows: ErasedRows): Promise<boolean> {
  return owner.transaction(async (query) => {
    await beginErasing(query, company, 'update');
    for (let pass = 0; pass < MAX_PASSES; pass += 1) {
      const late = await deleteLateRows(query, plan, company);
      if (late === undefined) return false;
      addRows(rows, late);
      if (Object.values(late).every((deleted) => deleted === 0)) {
        addRows(rows, await deleteCompany(query, plan, company));
        // Rewrite mark: the embedded database requests here that its next start rewrites the tables of this plan.
        return true;
      }
    }
    return false;
  });
}

/** @returns undefined if there are too many rows, or files */
async function deleteLateRows(query: OwnerQuery, plan: ErasePlan, company: number): Promise<ErasedRows | undefined> {
  const rows: ErasedRows = {};
  for (const table of plan.tables) {
    if (table.hasBytes) {
      await actFor(query, company);
      const files = await query(`select from "${table.name}" where company_id = $1 limit 1`, [company]);
      if (files.length > 0) return undefined;
    } else addRows(rows, await deleteRows(query, plan, { company, table, limit: LATE_ROWS }));
    if ((rows[table.name] ?? 0) === LATE_ROWS) return undefined;
  }
  return rows;
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
