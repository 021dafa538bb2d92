import { ALL_COMPANIES } from '../../entities/statements/define-statement.ts';
import type { Owner, OwnerQuery } from './owner.ts';
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
export async function beginErasing(query: OwnerQuery, company: number, lock = 'key share'): Promise<void> {
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
export const actFor = (query: OwnerQuery, company: number | typeof ALL_COMPANIES): Promise<unknown[]> =>
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
export async function deleteRows(
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
export async function count(query: OwnerQuery, text: string, values: readonly unknown[]): Promise<number> {
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
