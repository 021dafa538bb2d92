import { z } from 'zod';
import { toChanges, userIdsIn } from '../../entities/audit/changes.ts';
import type { ActorsById } from '../../entities/audit/changes.ts';
import {
  ActorOutput,
  EXAMPLE_IDS,
  booleanInput,
  textOutput,
  timestampOutput,
  uniqueIdOutput,
} from '../../entities/fields/schemas.ts';
import { toIso } from '../../entities/statements/change-metadata.ts';
import { NO_FRAMEWORK, isUniqueId } from '../../entities/ids.ts';
import { isKnownEvent } from '../../entities/audit/fields.ts';
import type { ResourceType } from '../../entities/audit/fields.ts';
import type { Session } from '../../database/session.ts';
import { notFound } from '../../entities/api-error.ts';
import { eventFilters, eventListStatement, findUsers, usersAt } from '../../entities/audit/event-lists.ts';
import type { EventFilters, UserRow } from '../../entities/audit/event-lists.ts';
import type { EventRecord, EventRow, ListedEvent } from '../../entities/audit/event-statements.ts';
import { readPage } from '../schemas/cursor.ts';
import { pageOutput, pagination } from '../schemas/pagination.ts';
import type { PageRequest } from '../schemas/pagination.ts';
import { requireFramework } from '../core/permissions.ts';

/** Filters and position of a list of events. */
export const EventQuery = z.strictObject({ ...eventFilters.shape, ...pagination });

/** Documented bounds of the id of a resource: a UUID, or an integer for reference data and the company. */
const RESOURCE_ID = { maxLength: 36, pattern: '^[0-9a-f-]+$' };

const ResourceKeyOutput = z
  .object({
    type: textOutput(20, 'task', 'Type of the resource').meta({ pattern: '^[a-zA-Z]+$' }),
    uniqueId: z
      .string()
      .meta({ ...RESOURCE_ID, description: 'Its public id, or the integer id of reference data and of the company' }),
  })
  .meta({
    description: 'The resource that was changed; it may be deleted',
    examples: [{ type: 'task', uniqueId: EXAMPLE_IDS.task }],
  });

const changesOutput = z.record(z.string().meta({ maxLength: 32, pattern: '^[a-zA-Z0-9]+$' }), z.unknown()).meta({
  description: '`{field: {from, to}}` of the changed fields; the full object for create and delete',
  examples: [{ priority: { from: 3, to: 1 } }],
});

/** An audit event in responses. */
export const EventOutput = z.object({
  uniqueId: uniqueIdOutput.meta({ description: 'Id of the event, a UUIDv7' }),
  occurredAt: timestampOutput.meta({ description: 'Time of the change, in UTC' }),
  actor: ActorOutput.meta({ description: 'User who made the change' }),
  apiKey: uniqueIdOutput.nullable().meta({ description: 'uniqueId of the API key; null if there was none' }),
  action: textOutput(32, 'task.update', 'Resource type and verb').meta({ pattern: '^[a-zA-Z]+\\.[a-zA-Z]+$' }),
  resource: ResourceKeyOutput,
  parent: ResourceKeyOutput.nullable().meta({
    description: 'Task or vendor that the resource belongs to; null for a resource of its own',
    examples: [null],
  }),
  changes: changesOutput,
  requestId: textOutput(128, 'b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17', 'X-Request-Id of the request').meta({
    pattern: String.raw`^[\w.:-]*$`, // empty for a change outside the service
  }),
});

/** An event in a list, which may be of a newer version. */
export const ListedEventOutput = EventOutput.extend({
  changes: changesOutput.optional().meta({
    description:
      '`{field: {from, to}}` of the changed fields; the full object for create and delete. Absent if a newer version of the service wrote the event',
  }),
}).meta({ id: 'AuditEvent', description: 'One change of one resource, which nobody can alter' });

export const EventPage = pageOutput(ListedEventOutput).meta({
  id: 'AuditEvents',
  description: 'A page of events, newest first',
});

/** A page of the company's events, without those of frameworks that the key may not access. */
export async function listEvents(
  session: Session,
  listName: string,
  { limit, cursor, ...filters }: z.infer<typeof EventQuery>,
) {
  const { frameworks } = session.principal;
  const { rows, nextCursor } = await readEvents(session, listName, filters, { limit, cursor }, frameworks);
  return { items: await toListedEvents(session, rows), nextCursor };
}

/** Largest number of events that is counted. */
export const MAX_EVENT_COUNT = 10_000;

/** The number of events that a list has on all pages, at most one more than `MAX_EVENT_COUNT`. */
export async function countEvents(session: Session, filters: EventFilters): Promise<number> {
  const [{ count }, input] = eventListStatement(filters, { limit: MAX_EVENT_COUNT + 1 }, session.principal.frameworks);
  return (await session.one(count, input)).count;
}

/** Page of a history. */
export const historyQuery = {
  children: booleanInput
    .optional()
    .meta({ description: 'True to include the events of what belongs to it, such as its comments' }),
  ...pagination,
};

/**
 * A page of the events of one resource with a `uniqueId`, which may be deleted, and of what belongs to it.
 * @throws ApiError 404 if it never existed, 403 if the key may not access its framework
 */
export async function readHistory(
  session: Session,
  resourceType: ResourceType,
  resourceId: string,
  { children = false, ...pageRequest }: PageRequest & { children?: boolean | undefined },
) {
  if (!isUniqueId(resourceId)) throw notFound(resourceType);
  const { rows, nextCursor } = await readEvents(
    session,
    `${resourceType}.history`,
    { resourceType, resourceId, ...(children && { children }) },
    pageRequest,
    null,
  );
  const [newest] = rows;
  if (newest === undefined) throw notFound(resourceType); // a page with a cursor has events
  if (newest.framework_id !== NO_FRAMEWORK) requireFramework(session.principal, newest.framework_id);
  return { items: await toListedEvents(session, rows), nextCursor };
}

const readEvents = (
  session: Session,
  listName: string,
  filters: EventFilters,
  request: PageRequest,
  frameworks: readonly number[] | null,
) =>
  readPage(session, {
    list: [listName, filters],
    request,
    fetch: ([occurredAt, id], limit) => {
      const before = occurredAt === undefined || id === undefined ? undefined : { occurredAt, id };
      const [{ page }, input] = eventListStatement(filters, { before, limit }, frameworks);
      return session.run(page, input);
    },
    positionOf: (row) => [row.occurred_at, row.id],
  });

/** An event whose type, verb and columns this version knows. */
export type KnownEventRow<Row extends EventRow = EventRow> = Row & { resource_type: ResourceType };

/** Converts events for a list, with the names that users had then. Events that this version does not know have no changes. */
async function toListedEvents(session: Session, rows: readonly EventRow[]): Promise<ListedEvent[]> {
  const users = await findUsersOf(session, rows);
  return rows.map((row) => {
    const then = usersAt(users, row.id);
    return isKnownEvent(row) ? toEvent(row, then) : toEventWithoutChanges(row, then);
  });
}

/** Converts events, with the names that users had then. */
export async function toEvents(session: Session, rows: readonly KnownEventRow[]): Promise<EventRecord[]> {
  const users = await findUsersOf(session, rows);
  return rows.map((row) => toEvent(row, usersAt(users, row.id)));
}

async function findUsersOf(session: Session, rows: readonly EventRow[]): Promise<ReadonlyMap<string, UserRow>> {
  const ids = new Set(
    rows.flatMap((row) => [
      row.user_id,
      ...(isKnownEvent(row) ? userIdsIn(row.resource_type, row.action, row.changes) : []),
    ]),
  );
  return new Map((await session.run(findUsers, { ids: [...ids] })).map((user) => [user.uniqueId, user]));
}

/** Converts an event, with users as they were then. */
export const toEvent = (row: KnownEventRow, users: ActorsById): EventRecord => ({
  ...toEventWithoutChanges(row, users),
  changes: toChanges(row.resource_type, row.action, row.changes, users),
});

function toEventWithoutChanges(row: EventRow, users: ActorsById): ListedEvent {
  const actor = users.get(row.user_id);
  if (actor === undefined) throw new Error(`event ${row.unique_id}: expected its user`);
  return {
    uniqueId: row.unique_id,
    occurredAt: toIso(row.occurred_at),
    actor,
    apiKey: row.api_key_id,
    action: row.action,
    resource: { type: row.resource_type, uniqueId: row.resource_id },
    parent:
      row.parent_type === null || row.parent_id === null ? null : { type: row.parent_type, uniqueId: row.parent_id },
    requestId: row.request_id,
  };
}
