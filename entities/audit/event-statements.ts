import type { StoredChanges } from './changes.ts';
import { NO_FRAMEWORK } from '../ids.ts';
import { RESOURCE_TYPES, actionsOf, resourceOf } from './fields.ts';
import type { ResourceType } from './fields.ts';
import { readStatement } from '../statements/define-statement.ts';
import type { Placeholders, Statement } from '../statements/define-statement.ts';
import type { Actor } from '../company/user.ts';

/** The audit event object of the API. Contract, section 6. */
export interface EventRecord {
  uniqueId: string;
  occurredAt: string;
  actor: Actor;
  apiKey: string | null;
  action: string;
  resource: { type: string; uniqueId: string };
  changes: Record<string, unknown>;
  requestId: string;
}

/** An event that a newer version of the service may have written: without changes if this one does not know it. */
export type ListedEvent = Omit<EventRecord, 'changes'> & Partial<Pick<EventRecord, 'changes'>>;

export interface EventRow {
  id: string;
  unique_id: string;
  occurred_at: string;
  user_id: string;
  api_key_id: string | null;
  action: string;
  resource_type: string;
  resource_id: string;
  /** NO_FRAMEWORK if the resource has none. */
  framework_id: number;
  changes: StoredChanges;
  request_id: string;
}

/** Filters of a list of events; undefined for no filter. */
export interface EventFilters {
  resourceType?: ResourceType | undefined;
  resourceId?: string | undefined;
  /** uniqueId of the user. */
  actor?: string | undefined;
  action?: string | undefined;
  /** Included. */
  since?: string | undefined;
  /** Not included. */
  until?: string | undefined;
}

/** Size of a page, and the event before which it starts. */
export interface EventPageRequest {
  before?: { occurredAt: string; id: string } | undefined;
  limit: number;
}

interface EventPageInput {
  types: readonly string[];
  actions: readonly string[];
  resourceType: string | null;
  resourceId: string | null;
  actor: string | null;
  action: string | null;
  since: string;
  /** Frameworks whose events the principal may see, with NO_FRAMEWORK; null for all. */
  frameworks: readonly number[] | null;
  beforeTime: string;
  beforeId: string;
  limit: number;
}

type EventPlaceholders = Placeholders<EventPageInput>;

/** Order of an index, with the condition for events before a position. */
const TIME_ORDER = {
  before: ({ beforeTime, beforeId }: EventPlaceholders) =>
    `(e.occurred_at, e.id) < (${beforeTime}::timestamptz, ${beforeId}::bigint)`,
  orderByTime: 'e.occurred_at desc, ',
};
const ID_ORDER = {
  before: ({ beforeTime, beforeId }: EventPlaceholders) =>
    `e.id < ${beforeId}::bigint and e.occurred_at < ${beforeTime}::timestamptz`,
  orderByTime: '',
};

/** Columns of an EventRow. */
export const EVENT_COLUMNS = `e.id::text as id, e.unique_id, e.occurred_at, e.user_id, e.api_key_id, e.action, e.resource_type,
        e.resource_id, e.framework_id, e.changes, e.request_id`;

/** Condition for events that a principal may see. @param frameworks placeholder for `EventPageInput.frameworks` */
export const visibleFrameworks = (frameworks: string) =>
  `(${frameworks}::int[] is null or e.framework_id = any(${frameworks}))`;

/** SQL for the entry into an index. */
interface IndexEntry {
  /** Rows that each start their own walk along the index; none for one walk. */
  from?: (placeholders: EventPlaceholders) => string;
  condition?: (placeholders: EventPlaceholders) => string;
  order?: typeof TIME_ORDER;
  frameworkCondition?: (placeholders: EventPlaceholders) => string;
}

/**
 * A page of events, newest first. PostgreSQL walks one index from the position, once for each row of `from`, and applies
 * the other filters on the way. In time order the position and `until` share one upper bound: given two bounds,
 * PostgreSQL could start the walk at either.
 */
const eventPageStatement = (
  index: string,
  {
    from = () => '',
    condition = () => 'true',
    order = TIME_ORDER,
    frameworkCondition = ({ frameworks }) => visibleFrameworks(frameworks),
  }: IndexEntry,
) =>
  readStatement<EventPageInput, EventRow>(`audit.by-${index}`, (placeholders) => {
    const { company, since, resourceType, action, actor, limit } = placeholders;
    return `select e.* from ${from(placeholders)} (
      select ${EVENT_COLUMNS}, e.id as "order"
      from audit_event e
      where e.company_id = ${company} and ${condition(placeholders)}
        and ${order.before(placeholders)}
        and e.occurred_at >= ${since}::timestamptz
        and (${resourceType}::text is null or e.resource_type = ${resourceType})
        and (${action}::text is null or e.action = ${action})
        and (${actor}::uuid is null or e.user_id = ${actor})
        and ${frameworkCondition(placeholders)}
      order by ${order.orderByTime}e.id desc
      limit ${limit}::int) e
    order by ${order.orderByTime}e."order" desc
    limit ${limit}::int`;
  });

const eventsByTime = eventPageStatement('time', {});
const eventsByUser = eventPageStatement('user', { condition: ({ actor }) => `e.user_id = ${actor}` });
const eventsByAction = eventPageStatement('action', {
  from: ({ actions }) => `unnest(${actions}::text[]) one, lateral`,
  condition: () => 'e.action = one',
});
// The walk visits these frameworks only. With the condition repeated, PostgreSQL could search for all of them at once, unordered.
const eventsByFramework = eventPageStatement('framework', {
  from: ({ frameworks }) => `unnest(${frameworks}::int[]) one, lateral`,
  condition: () => 'e.framework_id = one',
  frameworkCondition: () => 'true',
});
const eventsByResource = eventPageStatement('resource', {
  from: ({ types }) => `unnest(${types}::text[]) one, lateral`,
  condition: ({ resourceId }) => `e.resource_type = one and e.resource_id = ${resourceId}`,
  order: ID_ORDER,
});

/** Greater than the id of any event. */
const MAX_EVENT_ID = String(2n ** 63n - 1n);

const hasFramework = (type: ResourceType) => resourceOf(type).hasFramework;

/**
 * Selects the statement for a page, and its input. It walks the index with the fewest entries to read.
 * @param frameworks whose events the principal may see, beside events without a framework; null for all
 */
export function eventListStatement(
  { resourceType, resourceId, actor, action, since = '-infinity', until = 'infinity' }: EventFilters,
  { before, limit }: EventPageRequest,
  frameworks: readonly number[] | null,
): [Statement<EventPageInput, EventRow>, EventPageInput] {
  const types = RESOURCE_TYPES.filter((type) =>
    resourceType === undefined ? action === undefined || actionsOf(type).includes(action) : type === resourceType,
  );
  const typesWithFramework = types.filter(hasFramework);
  const input = {
    types,
    actions: types.flatMap(actionsOf).filter((one) => action === undefined || one === action),
    resourceType: resourceType ?? null,
    resourceId: resourceId ?? null,
    actor: actor ?? null,
    action: action ?? null,
    since,
    frameworks: frameworks && (typesWithFramework.length < types.length ? [NO_FRAMEWORK, ...frameworks] : frameworks),
    beforeTime: before?.occurredAt ?? until,
    beforeId: before?.id ?? '0',
    limit,
  };
  // Ids of one resource's events follow the order of its changes, even if the clock was set back.
  if (resourceId !== undefined)
    return [eventsByResource, { ...input, beforeTime: until, beforeId: before?.id ?? MAX_EVENT_ID }];
  if (actor !== undefined) return [eventsByUser, input];
  if (frameworks !== null && typesWithFramework.length > 0) return [eventsByFramework, input];
  return [types.length < RESOURCE_TYPES.length || action !== undefined ? eventsByAction : eventsByTime, input];
}

/** Users by id: actors of events, and users in changes. */
export const findActors = readStatement<{ ids: readonly string[] }, Actor>(
  'user.by-ids',
  ({ company, ids }) =>
    `select unique_id as "uniqueId", name, kind from company_user where company_id = ${company} and unique_id = any(${ids}::uuid[])`,
);
