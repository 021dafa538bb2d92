import type { ErasedRows } from '../../../database/erase/erase-company.ts';
import type { Owner } from '../../../database/driver.ts';
import { eraseStep, addRows } from '../../../database/erase/erase-company.ts';
import { connectOwner } from '../../../database/postgresql/owner.ts';
import { Session } from '../../../database/session.ts';
import { operatorPrincipal } from '../../../entities/principal.ts';
import type { Storage } from '../../../procedures/core/storage.ts';
import { removeErasedFiles } from '../../../procedures/evidence/removal.ts';
import { beginErase } from '../../../procedures/management/closing.ts';
import { database, ownerUrl, sql } from './database.ts';
import { operatorCaller } from '../tenants/company.ts';

const connection = ownerUrl === undefined ? undefined : await connectOwner(ownerUrl);
const embedded = connection ?? database.embedded?.owner;
if (embedded === undefined) throw new Error('expected the owner of the tables');
/** The owner of the tables of this test worker's database. */
export const owner: Owner = embedded;

export const closeCompany = (company: { id: number }, name: string) =>
  operatorCaller(company).management.company.close({ name });

/** Lets a company be closed long enough for its requests to have ended. */
const waitForRequests = ({ id }: { id: number }) =>
  sql(
    `update company set closed_at = closed_at - interval '1 minute' where id = $1
      and set_config('app.company', $1::text, true) is not null
      and set_config('app.user', '00000000-0000-7000-8000-000000000001', true) is not null`,
    id,
  );

/** Begins an erase of a closed company. */
export async function begin(company: { id: number }, name: string) {
  await waitForRequests(company);
  return beginErase(new Session(database, null, 'erase'), company.id, name);
}

/** Erases a closed company. @returns numbers of deleted rows by table */
export async function eraseCompany(company: { id: number }, name: string, storage: Storage): Promise<ErasedRows> {
  await begin(company, name);
  const session = new Session(database, operatorPrincipal(company.id), 'erase');
  const access = { owner, removeFiles: () => removeErasedFiles(session, storage) };
  const rows: ErasedRows = {};
  for (let from: number | null = 0; from !== null;) {
    const step: { rows: ErasedRows; next: number | null } = await eraseStep(access, {
      company: company.id,
      from,
      durationMs: 50,
    });
    addRows(rows, step.rows);
    from = step.next;
  }
  return rows;
}
