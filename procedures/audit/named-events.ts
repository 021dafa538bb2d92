import { z } from 'zod';
import type { ListedEvent } from '../../entities/audit/event-statements.ts';
import { findResourceNames, namesInput } from '../../entities/audit/names.ts';
import type { Session } from '../../database/session.ts';
import { pageOutput } from '../schemas/pagination.ts';
import { ListedEventOutput, listEvents } from './events.ts';
import type { EventQuery } from './events.ts';

const NamedResource = ListedEventOutput.shape.resource.extend({
  /** The current name, or the last one of a deleted resource; null if it is unknown. */
  name: z.string().nullable(),
  isDeleted: z.boolean(),
});

/** An event in a list, with the names of its resource and of what that belongs to. */
const NamedEventOutput = ListedEventOutput.extend({ resource: NamedResource, parent: NamedResource.nullable() });

export const NamedEventPage = pageOutput(NamedEventOutput);

const UNKNOWN = { name: null, isDeleted: false };

const keyOf = (type: string, uniqueId: string) => `${type} ${uniqueId}`;

/** A page of the company's events with the names of their resources, which take one statement. */
export async function listNamedEvents(session: Session, query: z.infer<typeof EventQuery>) {
  const { items, nextCursor } = await listEvents(session, 'audit.page', query);
  const names = await readNames(
    session,
    items.flatMap(({ resource, parent }) => (parent === null ? [resource] : [resource, parent])),
  );
  const named = ({ type, uniqueId }: ListedEvent['resource']) => ({
    type,
    uniqueId,
    ...(names.get(keyOf(type, uniqueId)) ?? UNKNOWN),
  });
  const withNames = (event: ListedEvent) => ({
    ...event,
    resource: named(event.resource),
    parent: event.parent === null ? null : named(event.parent),
  });
  return { items: items.map(withNames), nextCursor };
}

/** Names by type and id. A newer version of the service may have types that have no name here. */
async function readNames(session: Session, resources: readonly ListedEvent['resource'][]) {
  const input = namesInput(resources);
  const rows = input === undefined ? [] : await session.run(findResourceNames, input);
  return new Map(rows.map(({ type, id, name, isDeleted }) => [keyOf(type, id), { name, isDeleted }]));
}
