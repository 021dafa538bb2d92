import type { StoredChanges } from '../audit/changes.ts';
import { NO_FRAMEWORK } from '../audit/event.ts';
import { AUDITED_COLUMNS, RESOURCE_TYPES, actionsOf } from '../audit/fields.ts';
import type { ResourceType } from '../audit/fields.ts';
import { readStatement } from './define-statement.ts';
import type { Statement } from './define-statement.ts';
import type { Actor } from '../user.ts';

/** The audit event of the contract. Contract, section 6. */
export interface EventRecord {
  uniqueId: string;
  occurredAt: string;
  actor: Actor;
  apiKey: string | null;
  action: string;
  resource: { type: ResourceType; uniqueId: string };
  changes: Record<string, unknown>;
  requestId: string;
}

export interface EventRow {
  id: string;
  unique_id: string;
  occurred_at: string;
  user_id: string;
  api_key_id: string | null;
  action: string;
  resource_type: ResourceType;
  resource_id: string;
  /** NO_FRAMEWORK for none. */
  framework_id: number;
  changes: StoredChanges;
  request_id: string;
}

/** Which events are asked for; what is undefined does not matter. */
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

/** How many of them, and from which place between two on. */
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
  /** Frameworks whose events may be seen, NO_FRAMEWORK among them; null for all. */
  frameworks: readonly number[] | null;
  beforeTime: string;
  beforeId: string;
  limit: number;
}

/** How an index orders events, and what of it lies before a place. */
const TIME_ORDER = {
  before: '(e.occurred_at, e.id) < (:beforeTime::timestamptz, :beforeId::bigint)',
  orderByTime: 'e.occurred_at desc, ',
};
const ID_ORDER = { before: 'e.id < :beforeId::bigint and e.occurred_at < :beforeTime::timestamptz', orderByTime: '' };

const VISIBLE_FRAMEWORKS = '(:frameworks::int[] is null or e.framework_id = any(:frameworks))';

/**
 * A page of events, newest first, by walking one index from a place: for each value in `from`, if there is more than
 * one way in, and otherwise once. What else is asked for is looked at on the way. By time, there is one upper bound for
 * the place and for `until`: of two, PostgreSQL would start at either.
 */
const eventPageStatement = (
  index: string,
  fromClause: string,
  indexCondition: string,
  { before, orderByTime } = TIME_ORDER,
  frameworkCondition = VISIBLE_FRAMEWORKS,
) =>
  readStatement<EventPageInput, EventRow>(
    `audit.by-${index}`,
    `select e.* from ${fromClause} (
      select e.id::text as id, e.unique_id, e.occurred_at, e.user_id, e.api_key_id, e.action, e.resource_type,
        e.resource_id, e.framework_id, e.changes, e.request_id, e.id as "order"
      from audit_event e
      where e.company_id = :company and ${indexCondition}
        and ${before}
        and e.occurred_at >= :since::timestamptz
        and (:resourceType::text is null or e.resource_type = :resourceType)
        and (:action::text is null or e.action = :action)
        and (:actor::uuid is null or e.user_id = :actor)
        and ${frameworkCondition}
      order by ${orderByTime}e.id desc
      limit :limit::int) e
    order by ${orderByTime}e."order" desc
    limit :limit::int`,
  );

const eventsByTime = eventPageStatement('time', '', 'true');
const eventsByUser = eventPageStatement('user', '', 'e.user_id = :actor');
const eventsByAction = eventPageStatement('action', 'unnest(:actions::text[]) one, lateral', 'e.action = one');
// Only those frameworks are walked; if it were asked for again, PostgreSQL could look for all of them at once, in no order.
const eventsByFramework = eventPageStatement(
  'framework',
  'unnest(:frameworks::int[]) one, lateral',
  'e.framework_id = one',
  TIME_ORDER,
  'true',
);
const eventsByResource = eventPageStatement(
  'resource',
  'unnest(:types::text[]) one, lateral',
  'e.resource_type = one and e.resource_id = :resourceId',
  ID_ORDER,
);

/** More than any id of an event. */
const MAX_EVENT_ID = String(2n ** 63n - 1n);

/** Whether events of this type have a framework. */
const hasFramework = (type: ResourceType) => 'framework' in AUDITED_COLUMNS[type];

/**
 * The statement that reads a page, and its input. It walks that index of which the fewest entries are looked at.
 * @param frameworks whose events may be seen, beside those of none; null for all
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
  // Ids of one resource's events stand in the order of its changes, whatever the clock did meanwhile.
  if (resourceId !== undefined)
    return [eventsByResource, { ...input, beforeTime: until, beforeId: before?.id ?? MAX_EVENT_ID }];
  if (actor !== undefined) return [eventsByUser, input];
  if (frameworks !== null && typesWithFramework.length > 0) return [eventsByFramework, input];
  return [types.length < RESOURCE_TYPES.length || action !== undefined ? eventsByAction : eventsByTime, input];
}

/** Users by id: the actors of events, and users that changes name. */
export const findActors = readStatement<{ ids: readonly string[] }, Actor>(
  'user.by-ids',
  `select unique_id as "uniqueId", name, kind from company_user where company_id = :company and unique_id = any(:ids::uuid[])`,
);
