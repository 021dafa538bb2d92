import { NO_FRAMEWORK, isUniqueId } from '../ids.ts';
import { readStatement } from '../statements/define-statement.ts';
import type { Placeholders } from '../statements/define-statement.ts';
import { OPERATOR } from '../company/user.ts';
import type { Actor } from '../company/user.ts';
import { FORMER_MEMBER } from '../member/forget.ts';
import { EVENT_COLUMNS, visibleFrameworks } from './event-statements.ts';
import type { EventRow } from './event-statements.ts';
import { RESOURCE_TYPES, actionsOf, resourceOf } from './fields.ts';
import type { ResourceType } from './fields.ts';
import { compare, defineFilters } from '../fields/filters.ts';
import { EXAMPLE_IDS, enumInput, textInput, timestampInput, userIdInput } from '../fields/schemas.ts';
import type { ActorsById } from './changes.ts';

/** A user with the names that it had. */
export interface UserRow extends Actor {
  /** The names, each from an event on, the oldest first. Null if none is recorded. */
  names: readonly { from: number; name: string }[] | null;
}

const aggregated = (id: string, name: string) =>
  `json_agg(json_build_object('from', ${id}, 'name', ${name}) order by ${id})`;

/**
 * Users by id, with the names that they had: of members from the records of identity, of keys from their events. The sub-select
 * of the key is a fence: row-level security keeps PostgreSQL from using an index for a value that it has to cast.
 */
export const findUsers = readStatement<{ ids: readonly string[] }, UserRow>(
  'user.by-ids',
  ({ company, ids }) => `select u.unique_id as "uniqueId", u.name, u.kind, case u.kind
    when 'human' then (select ${aggregated('i.event_id', 'i.name')} from identity i
      where i.company_id = ${company} and i.member_id = u.unique_id)
    else (select ${aggregated('e.id', `coalesce(e.changes -> 'name' ->> 'to', e.changes ->> 'name')`)}
      from (select k.unique_id::text as id from api_key k where k.company_id = ${company} and k.user_id = u.unique_id offset 0) k
        join audit_event e on e.company_id = ${company} and e.resource_type = 'apiKey' and e.resource_id = k.id
      where e.action in ('apiKey.create', 'apiKey.update') and e.changes ? 'name')
    end as names
  from company_user u where u.company_id = ${company} and u.unique_id = any(${ids}::uuid[])`,
);

/** The users as an event shows them: with the names that they had then. Contract, section 26. @param event id of the event */
export const usersAt = (users: ReadonlyMap<string, UserRow>, event: string): ActorsById => ({
  get: (id) => {
    const user = users.get(id);
    return user && { uniqueId: user.uniqueId, name: nameAt(user, Number(event)), kind: user.kind };
  },
});

/** The name of a user from before its first record is that of the record. Without records it has none. */
function nameAt({ uniqueId, name, names }: UserRow, event: number): string {
  const [first] = names ?? [];
  if (names === null || first === undefined)
    return uniqueId === OPERATOR.uniqueId || name === FORMER_MEMBER ? name : uniqueId;
  return (names.findLast(({ from }) => from <= event) ?? first).name;
}

/** Filters of a list of events. */
export const eventFilters = defineFilters({
  resourceType: compare(
    'e.resource_type',
    '=',
    'text',
    enumInput(RESOURCE_TYPES).optional().meta({ description: 'Type of the resources' }),
  ),
  resourceId: {
    schema: textInput('text')
      .optional()
      .meta({ description: 'uniqueId or id of the resource', examples: [EXAMPLE_IDS.task] }),
    type: 'text',
  },
  parent: compare(
    'e.parent_id',
    '=',
    'text',
    textInput('the uniqueId of a task or vendor', 36)
      .refine(isUniqueId, 'expected the uniqueId of a task or vendor')
      .meta({ description: 'uniqueId of what they belong to', format: 'uuid', examples: [EXAMPLE_IDS.task] }),
  ),
  actor: compare('e.user_id', '=', 'uuid', userIdInput('uniqueId of the user')),
  action: compare(
    'e.action',
    '=',
    'text',
    enumInput(RESOURCE_TYPES.flatMap(actionsOf)).optional().meta({ description: 'Events with this action' }),
  ),
  since: { schema: timestampInput.optional().meta({ description: 'Inclusive start' }) },
  until: { schema: timestampInput.optional().meta({ description: 'Exclusive end' }) },
});

/** Filters of a request. With `children`, the events of `resourceId` and of what belongs to it. */
export type EventFilters = Parameters<typeof eventFilters.parameters>[0] & { children?: boolean | undefined };

/** Size of a page, and the event before which it starts. */
export interface EventPageRequest {
  before?: { occurredAt: string; id: string } | undefined;
  limit: number;
}

interface EventPageInput extends ReturnType<typeof eventFilters.parameters> {
  types: readonly string[];
  actions: readonly string[];
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

/** SQL for the entry into an index. */
interface IndexEntry {
  /** Rows that each start their own walk along the index; none for one walk. */
  from?: (placeholders: EventPlaceholders) => string;
  condition?: (placeholders: EventPlaceholders) => string;
  frameworkCondition?: (placeholders: EventPlaceholders) => string;
}

/**
 * A page of events, newest first. PostgreSQL walks each index from the position, once for each row of `from`, and applies
 * the other filters on the way. In time order the position and `until` share one upper bound: given two bounds,
 * PostgreSQL could start the walk at either.
 */
function eventPageStatements(name: string, entries: readonly IndexEntry[], { before, orderByTime } = TIME_ORDER) {
  const pageOf = (placeholders: EventPlaceholders) => {
    const { company, since, frameworks, limit } = placeholders;
    const walks = entries.map(
      ({ from, condition, frameworkCondition }) => `select e.* from ${from?.(placeholders) ?? ''} (
      select ${EVENT_COLUMNS}, e.id as "order"
      from audit_event e
      where e.company_id = ${company} and ${condition?.(placeholders) ?? 'true'}
        and ${before(placeholders)}
        and e.occurred_at >= ${since}::timestamptz
        and ${eventFilters.where(placeholders, 'resourceType', 'parent', 'action', 'actor')}
        and ${frameworkCondition?.(placeholders) ?? visibleFrameworks(frameworks)}
      order by ${orderByTime}e.id desc
      limit ${limit}::int) e`,
    );
    return `select e.* from (${walks.join(' union all ')}) e
    order by ${orderByTime}e."order" desc
    limit ${limit}::int`;
  };
  return {
    page: readStatement<EventPageInput, EventRow>(`audit.by-${name}`, pageOf),
    /** Number of events of a page, which may be a large one. */
    count: readStatement<EventPageInput, { count: number }>(
      `audit.count-by-${name}`,
      (placeholders) => `select count(*)::int as count from (${pageOf(placeholders)}) counted`,
    ),
  };
}

const eventsByTime = eventPageStatements('time', [{}]);
const eventsByUser = eventPageStatements('user', [{ condition: ({ actor }) => `e.user_id = ${actor}` }]);
const eventsByAction = eventPageStatements('action', [
  { from: ({ actions }) => `unnest(${actions}::text[]) one, lateral`, condition: () => 'e.action = one' },
]);
// The walk visits these frameworks only. With the condition repeated, PostgreSQL could search for all of them at once, unordered.
const eventsByFramework = eventPageStatements('framework', [
  {
    from: ({ frameworks }) => `unnest(${frameworks}::int[]) one, lateral`,
    condition: () => 'e.framework_id = one',
    frameworkCondition: () => 'true',
  },
]);
const byType = { from: ({ types }: EventPlaceholders) => `unnest(${types}::text[]) one, lateral` };
const ofResource: IndexEntry = {
  ...byType,
  condition: ({ resourceId }) => `e.resource_type = one and e.resource_id = ${resourceId}`,
};
const eventsByResource = eventPageStatements('resource', [ofResource], ID_ORDER);
const eventsByParent = eventPageStatements(
  'parent',
  [{ condition: ({ parent }) => `e.parent_id = ${parent}` }],
  ID_ORDER,
);
/** The events of a resource and of what belongs to it. */
const eventsWithChildren = eventPageStatements(
  'resource-and-children',
  [ofResource, { ...byType, condition: ({ resourceId }) => `e.parent_type = one and e.parent_id = ${resourceId}` }],
  ID_ORDER,
);

/** Greater than the id of any event. */
const MAX_EVENT_ID = String(2n ** 63n - 1n);

const hasFramework = (type: ResourceType) => resourceOf(type).hasFramework;
const mayLackFramework = (type: ResourceType) => resourceOf(type).mayLackFramework;

/**
 * Selects the statements for a page, and their input. They walk the index with the fewest entries to read.
 * @param frameworks whose events the principal may see, beside events without a framework; null for all
 */
export function eventListStatement(
  { children = false, since = '-infinity', until = 'infinity', ...filters }: EventFilters,
  { before, limit }: EventPageRequest,
  frameworks: readonly number[] | null,
): [ReturnType<typeof eventPageStatements>, EventPageInput] {
  const { resourceType, resourceId, parent, actor, action } = filters;
  const types = RESOURCE_TYPES.filter((type) =>
    resourceType === undefined ? action === undefined || actionsOf(type).includes(action) : type === resourceType,
  );
  const input = {
    ...eventFilters.parameters(filters),
    types,
    actions: types.flatMap(actionsOf).filter((one) => action === undefined || one === action),
    // With children, `types` selects the resource: its children have other types.
    ...(children && { resourceType: null }),
    since,
    frameworks: frameworks && (types.some(mayLackFramework) ? [NO_FRAMEWORK, ...frameworks] : frameworks),
    beforeTime: before?.occurredAt ?? until,
    beforeId: before?.id ?? '0',
    limit,
  };
  // Ids of one resource's events follow the order of its changes, even if the clock was set back.
  const inOrderOfIds = { ...input, beforeTime: until, beforeId: before?.id ?? MAX_EVENT_ID };
  if (resourceId !== undefined) return [children ? eventsWithChildren : eventsByResource, inOrderOfIds];
  if (parent !== undefined) return [eventsByParent, inOrderOfIds];
  if (actor !== undefined) return [eventsByUser, input];
  if (frameworks !== null && types.some(hasFramework)) return [eventsByFramework, input];
  return [types.length < RESOURCE_TYPES.length || action !== undefined ? eventsByAction : eventsByTime, input];
}
