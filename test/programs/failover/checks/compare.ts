import { replayAuditLog } from '../../faults/checks/audit-replay.ts';
import type { Snapshot } from '../../faults/checks/snapshot.ts';
import { finalOutcome } from '../../faults/workload/operation-log.ts';
import { operationOf } from '../workload/history.ts';
import type { FeedItem, History, LoadOperation } from '../workload/history.ts';

/** Violations, each with a text that names the request or row. */
export interface Violations {
  /** An acknowledged write that is not stored, or not in the change feed. */
  lost: string[];
  /** A write that is stored, or in the change feed, more than once. */
  twice: string[];
  /** A change without its event, an event without its change, or a hole in the change feed. */
  unmatched: string[];
  /** A read that does not show the last acknowledged write of the same key. */
  stale: string[];
}

/** Compares what the clients of a round sent and saw with the stored rows and events of their companies. */
export function compare({ operations, ownReads, feeds }: History, stored: Snapshot): Violations {
  const violations: Violations = { lost: [], twice: [], unmatched: [], stale: [] };
  const writes = operations.filter(({ request }) => request.action !== 'read');
  compareEvents(writes, stored, violations);
  violations.unmatched.push(...replayAuditLog(stored).map(({ text }) => text));
  for (const [company, items] of feeds) {
    const ofCompany = writes.filter(({ request }) => request.company === company);
    compareFeed(`the feed of company ${company}`, ofCompany, items, violations);
  }
  for (const { operationId, expected, seen } of ownReads)
    if (seen !== expected) violations.stale.push(`${operationId}: saw ${seen ?? 'nothing'} after ${expected}`);
  return violations;
}

function compareEvents(
  writes: readonly LoadOperation[],
  { events }: Snapshot,
  { lost, twice, unmatched }: Violations,
): void {
  const eventsOf = Map.groupBy(events, ({ request_id }) => operationOf(request_id));
  for (const write of writes) {
    const { operationId, action, resourceType, resource } = write.request;
    const outcome = finalOutcome(write);
    const [event, ...others] = eventsOf.get(operationId) ?? [];
    eventsOf.delete(operationId);
    if (others.length > 0) twice.push(`${operationId}: has ${others.length + 1} events`);
    if (event === undefined) {
      if (outcome === 'acknowledged') lost.push(`${operationId}: is acknowledged and has no event`);
      continue;
    }
    if (outcome === 'rejected') unmatched.push(`${operationId}: is rejected and has an event`);
    const ids = [resource, ...write.attempts.map((attempt) => attempt.resource)].filter((id) => id !== undefined);
    if (event.action !== `${resourceType}.${action}` || ids.some((id) => id !== event.resource_id))
      unmatched.push(`${operationId}: its event is ${event.action} of ${event.resource_id}`);
  }
  for (const operationId of eventsOf.keys()) unmatched.push(`${operationId}: has an event, and no client sent it`);
}

/** A follower of the feed gets every sequence once, and with them every acknowledged write once. */
function compareFeed(
  name: string,
  writes: readonly LoadOperation[],
  items: readonly FeedItem[],
  { lost, twice, unmatched }: Violations,
): void {
  for (const [index, { sequence }] of items.entries())
    if (sequence !== index + 1) {
      unmatched.push(`${name}: has ${sequence} at the place of ${index + 1}`);
      break;
    }
  const counts = new Map<string, number>();
  for (const { requestId } of items) {
    const operationId = operationOf(requestId);
    counts.set(operationId, (counts.get(operationId) ?? 0) + 1);
  }
  for (const write of writes) {
    const count = counts.get(write.request.operationId) ?? 0;
    if (count === 0 && finalOutcome(write) === 'acknowledged') lost.push(`${name}: lacks ${write.request.operationId}`);
    if (count > 1) twice.push(`${name}: has ${write.request.operationId} ${count} times`);
  }
}
