import type { StoredChanges } from './changes.ts';
import type { ResourceKey } from '../schema/audited-resource.ts';
import type { Actor } from '../company/user.ts';

/** The audit event object of the API. Contract, section 6. */
export interface EventRecord {
  uniqueId: string;
  occurredAt: string;
  actor: Actor;
  apiKey: string | null;
  action: string;
  resource: ResourceKey;
  /** Resource that it belongs to: the task or vendor of a comment. */
  parent: ResourceKey | null;
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
  /** Null for a resource of its own. */
  parent_type: string | null;
  parent_id: string | null;
  /** NO_FRAMEWORK if the resource has none. */
  framework_id: number;
  changes: StoredChanges;
  request_id: string;
}

/** Columns of an EventRow. */
export const EVENT_COLUMNS = `e.id::text as id, e.unique_id, e.occurred_at, e.user_id, e.api_key_id, e.action, e.resource_type,
        e.resource_id, e.parent_type, e.parent_id, e.framework_id, e.changes, e.request_id`;

/** Condition for events that a principal may see. @param frameworks placeholder for their ids with NO_FRAMEWORK; null for all */
export const visibleFrameworks = (frameworks: string) =>
  `(${frameworks}::int[] is null or e.framework_id = any(${frameworks}))`;
