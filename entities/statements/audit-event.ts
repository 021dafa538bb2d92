import { toChanges, usersIn } from '../audit-changes.ts';
import type { StoredChanges, Users } from '../audit-changes.ts';
import { NO_FRAMEWORK } from '../audit-event.ts';
import { AUDITED, RESOURCE_TYPES, actionsOf } from '../audit-fields.ts';
import type { ResourceType } from '../audit-fields.ts';
import type { Session } from '../database/session.ts';
import { reading } from '../database/statement.ts';
import type { Statement } from '../database/statement.ts';
import type { Actor } from '../user.ts';
import { toIso } from './stamps.ts';

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
export interface EventsAt {
  before?: { occurredAt: string; id: string } | undefined;
  limit: number;
}

interface PageInput {
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
const BY_TIME = {
  before: '(e.occurred_at, e.id) < (:beforeTime::timestamptz, :beforeId::bigint)',
  byTime: 'e.occurred_at desc, ',
};
const BY_ID = { before: 'e.id < :beforeId::bigint and e.occurred_at < :beforeTime::timestamptz', byTime: '' };

const SEEN = '(:frameworks::int[] is null or e.framework_id = any(:frameworks))';

/**
 * A page of events, newest first, by walking one index from a place: for each value in `from`, if there is more than
 * one way in, and otherwise once. What else is asked for is looked at on the way. By time, there is one upper bound for
 * the place and for `until`: of two, PostgreSQL would start at either.
 */
const pageBy = (walk: string, from: string, within: string, { before, byTime } = BY_TIME, seen = SEEN) =>
  reading<PageInput, EventRow>(
    `audit.by-${walk}`,
    `select e.* from ${from} (
      select e.id::text as id, e.unique_id, e.occurred_at, e.user_id, e.api_key_id, e.action, e.resource_type,
        e.resource_id, e.framework_id, e.changes, e.request_id, e.id as "order"
      from audit_event e
      where e.company_id = :company and ${within}
        and ${before}
        and e.occurred_at >= :since::timestamptz
        and (:resourceType::text is null or e.resource_type = :resourceType)
        and (:action::text is null or e.action = :action)
        and (:actor::uuid is null or e.user_id = :actor)
        and ${seen}
      order by ${byTime}e.id desc
      limit :limit::int) e
    order by ${byTime}e."order" desc
    limit :limit::int`,
  );

const byTime = pageBy('time', '', 'true');
const byUser = pageBy('user', '', 'e.user_id = :actor');
const byAction = pageBy('action', 'unnest(:actions::text[]) one, lateral', 'e.action = one');
// Only those frameworks are walked; if it were asked for again, PostgreSQL could look for all of them at once, in no order.
const byFramework = pageBy(
  'framework',
  'unnest(:frameworks::int[]) one, lateral',
  'e.framework_id = one',
  BY_TIME,
  'true',
);
const byResource = pageBy(
  'resource',
  'unnest(:types::text[]) one, lateral',
  'e.resource_type = one and e.resource_id = :resourceId',
  BY_ID,
);

/** More than any id of an event. */
const BEYOND_ALL = String(2n ** 63n - 1n);

/** Whether events of this type have a framework. */
const hasFramework = (type: ResourceType) => 'framework' in AUDITED[type];

/**
 * The statement that reads a page, and its input. It walks that index of which the fewest entries are looked at.
 * @param frameworks whose events may be seen, beside those of none; null for all
 */
export function eventsWhere(
  { resourceType, resourceId, actor, action, since = '-infinity', until = 'infinity' }: EventFilters,
  { before, limit }: EventsAt,
  frameworks: readonly number[] | null,
): [Statement<PageInput, EventRow>, PageInput] {
  const types = RESOURCE_TYPES.filter((type) =>
    resourceType === undefined ? action === undefined || actionsOf(type).includes(action) : type === resourceType,
  );
  const framed = types.filter(hasFramework);
  const input = {
    types,
    actions: types.flatMap(actionsOf).filter((one) => action === undefined || one === action),
    resourceType: resourceType ?? null,
    resourceId: resourceId ?? null,
    actor: actor ?? null,
    action: action ?? null,
    since,
    frameworks: frameworks && (framed.length < types.length ? [NO_FRAMEWORK, ...frameworks] : frameworks),
    beforeTime: before?.occurredAt ?? until,
    beforeId: before?.id ?? '0',
    limit,
  };
  // Ids of one resource's events stand in the order of its changes, whatever the clock did meanwhile.
  if (resourceId !== undefined)
    return [byResource, { ...input, beforeTime: until, beforeId: before?.id ?? BEYOND_ALL }];
  if (actor !== undefined) return [byUser, input];
  if (frameworks !== null && framed.length > 0) return [byFramework, input];
  return [types.length < RESOURCE_TYPES.length || action !== undefined ? byAction : byTime, input];
}

const usersById = reading<{ ids: readonly string[] }, Actor>(
  'user.by-ids',
  `select unique_id as "uniqueId", name, kind from company_user where company_id = :company and unique_id = any(:ids::uuid[])`,
);

/** Events as the contract shows them, with the names that their users have now. */
export async function toEvents(session: Session, rows: readonly EventRow[]): Promise<EventRecord[]> {
  const ids = new Set(rows.flatMap(({ user_id, action, changes }) => [user_id, ...usersIn(action, changes)]));
  const users = new Map((await session.run(usersById, { ids: [...ids] })).map((user) => [user.uniqueId, user]));
  return rows.map((row) => toEvent(row, users));
}

function toEvent(row: EventRow, users: Users): EventRecord {
  const actor = users.get(row.user_id);
  if (actor === undefined) throw new Error(`the user of event ${row.unique_id} is missing`);
  return {
    uniqueId: row.unique_id,
    occurredAt: toIso(row.occurred_at),
    actor,
    apiKey: row.api_key_id,
    action: row.action,
    resource: { type: row.resource_type, uniqueId: row.resource_id },
    changes: toChanges(row.resource_type, row.action, row.changes, users),
    requestId: row.request_id,
  };
}
