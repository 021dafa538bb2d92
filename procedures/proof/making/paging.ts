import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Session } from '../../../database/session.ts';
import type { ResourceType } from '../../../entities/audit/fields.ts';
import { pageResourceEvents } from '../../../entities/proof/reading.ts';
import type { ResourceEventRow } from '../../../entities/proof/reading.ts';

/** Rows that one statement reads. The embedded database serves no other request meanwhile. */
const PAGE_SIZE = 200;

/**
 * Reads all rows page by page. Between the pages other work of the process has its turn: the promises of the embedded database
 * resolve before it.
 */
export async function* readAll<Row, Position>(
  read: (after: Position, limit: number) => Promise<Row[]>,
  start: Position,
  positionOf: (row: Row) => Position,
): AsyncGenerator<Row> {
  let after = start;
  for (;;) {
    const rows = await read(after, PAGE_SIZE);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_SIZE) return;
    after = positionOf(last);
    await nextTurn();
  }
}

/** A resource with its sealed events, in the order of its changes. */
export interface ResourceEvents {
  uniqueId: string;
  events: ResourceEventRow[];
}

/** Every resource of a type that ever was, by id. */
export async function* resourcesOf(session: Session, type: ResourceType): AsyncGenerator<ResourceEvents> {
  let current: ResourceEvents | undefined;
  const rows = readAll(
    ({ resourceId, id }, limit) =>
      session.run(pageResourceEvents, { type, afterResource: resourceId, afterId: id, limit }),
    { resourceId: '', id: '0' },
    ({ resourceId, id }: ResourceEventRow) => ({ resourceId, id }),
  );
  for await (const row of rows) {
    if (current?.uniqueId !== row.resourceId) {
      if (current !== undefined) yield current;
      current = { uniqueId: row.resourceId, events: [] };
    }
    current.events.push(row);
  }
  if (current !== undefined) yield current;
}
