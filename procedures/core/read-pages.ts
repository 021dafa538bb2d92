import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Reads all rows page by page. Between the pages other work of the process has its turn: the promises of the embedded database
 * resolve before it.
 * @param pageSize rows that one statement reads. The embedded database serves no other request meanwhile.
 */
export async function* readPages<Row, Position>(
  read: (after: Position, limit: number) => Promise<Row[]>,
  start: Position,
  positionOf: (row: Row) => Position,
  pageSize: number,
): AsyncGenerator<Row[]> {
  let after = start;
  for (;;) {
    const rows = await read(after, pageSize);
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return;
    after = positionOf(last);
    await nextTurn();
  }
}

const PAGE_SIZE = 200;

/** Reads all rows page by page, and yields them one by one. */
export async function* readAll<Row, Position>(
  read: (after: Position, limit: number) => Promise<Row[]>,
  start: Position,
  positionOf: (row: Row) => Position,
): AsyncGenerator<Row> {
  for await (const rows of readPages(read, start, positionOf, PAGE_SIZE)) yield* rows;
}
