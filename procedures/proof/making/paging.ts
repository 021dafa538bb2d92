import type { Session } from '../../../database/session.ts';
import type { ResourceType } from '../../../entities/audit/fields.ts';
import { pageResourceEvents } from '../../../entities/proof/reading.ts';
import type { ResourceEventRow } from '../../../entities/proof/reading.ts';
import { readAll } from '../../core/read-pages.ts';

/** A resource with its sealed events, in the order of its changes. */
export interface ResourceEvents {
  uniqueId: string;
  events: ResourceEventRow[];
}

/** Every resource of a type that has ever existed, by id. */
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
