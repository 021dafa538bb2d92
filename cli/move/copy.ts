import type { Cell } from './cells.ts';
import { copyFile } from './cells.ts';
import { FilePage, Page, People } from '../../procedures/management/move/schemas.ts';

/** Files that are copied at the same time. */
const CONCURRENT_FILES = 4;
/** Rows of the first page of a table, and of the others at most. Few at first: each may be large. */
const PAGE_ROWS = { first: 50, max: 1000 };

/** A move between two cells. */
export interface Cells {
  source: Cell;
  target: Cell;
  id: number;
  move: string;
}

/** Copies the rows of a table page by page. Rows that have arrived already stay as they are. @returns the number of rows */
export async function copyTable({ source, target, id, move }: Cells, table: string): Promise<number> {
  let copied = 0;
  let rows = PAGE_ROWS.first;
  for (let after: string | null = null; ;) {
    /* oxlint-disable no-await-in-loop -- a page begins after the last one */
    const page = Page.parse(await source.call('company.moveRead', { id, table, after, rows }));
    if (page.last === null) return copied;
    await target.call('company.arrivalRows', { id, move, table, rows: page.rows });
    /* oxlint-enable no-await-in-loop */
    copied += page.count;
    if (!page.more) return copied;
    // A page that ended at its limit of bytes shows how many rows fit.
    rows = page.count < rows ? Math.max(1, page.count) : Math.min(PAGE_ROWS.max, rows * 2);
    ({ last: after } = page);
  }
}

/** Copies what people sign in with. Repeated, it brings it up to date. */
export async function copyPeople({ source, target, id, move }: Cells): Promise<void> {
  for (let after: string | null = null; ;) {
    /* oxlint-disable no-await-in-loop -- a page begins after the last one */
    const page = People.parse(await source.call('company.movePeople', { id, after }));
    if (page.last === null) return;
    await target.call('company.arrivalPeople', { id, move, people: page.people });
    /* oxlint-enable no-await-in-loop */
    ({ last: after } = page);
  }
}

/** Copies the bytes of each file that has not arrived with an earlier run. @returns the number of files */
export async function copyFiles({ source, target, id, move }: Cells): Promise<number> {
  let total = 0;
  for (let after: string | null = null; ;) {
    /* oxlint-disable no-await-in-loop -- a page begins after the last one */
    const page = FilePage.parse(await target.call('company.arrivalFiles', { id, move, after }));
    for (let index = 0; index < page.missing.length; index += CONCURRENT_FILES)
      await Promise.all(
        page.missing.slice(index, index + CONCURRENT_FILES).map((uniqueId) => copyFile(source, target, id, uniqueId)),
      );
    /* oxlint-enable no-await-in-loop */
    total += page.count;
    if (page.last === null) return total;
    ({ last: after } = page);
  }
}
