import type { MovedTable } from '../../../database/move/plan.ts';
import { DIGEST_ROWS, digestRows } from '../../../database/move/rows.ts';
import type { Session } from '../../../database/session.ts';
import type { TableSum } from './schemas.ts';

/** Adds up the rows of a table and their hashes, in the company of the session. Both cells do, and compare. */
export async function sumRows(session: Session, table: MovedTable): Promise<TableSum> {
  let rows = 0;
  let digest = 0n;
  for (let after: string | null = null; ;) {
    const [statement, input] = digestRows(table, { after });
    // oxlint-disable-next-line no-await-in-loop -- each page begins after the last one
    const page = await session.one(statement, input);
    rows += page.count;
    digest += BigInt(page.digest);
    if (page.count < DIGEST_ROWS) return { table: table.name, rows, digest: String(digest) };
    after = page.last;
  }
}
