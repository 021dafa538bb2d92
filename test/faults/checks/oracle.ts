import { hash } from 'node:crypto';
import { replayAuditLog } from './audit-replay.ts';
import type { AuditEventRow, Snapshot } from './snapshot.ts';
import { finalOutcome } from '../workload/operation-log.ts';
import type { AttemptResult, Operation } from '../workload/operation-log.ts';

/** What went wrong. `wrong` is an answer that should have been another. */
export interface Finding {
  kind: 'lost' | 'inconsistent' | 'cross-tenant' | 'leaked' | 'timeout' | 'wrong response';
  text: string;
}

/** Milliseconds in which every request ends, one way or the other. */
const MAX_REQUEST_MS = 5000;

/** Each text of a company bears its marker, and nobody else's may. */
export const companyMarker = (company: number) => `⟦company-${company}⟧`;
export const findMarkers = (text: string): string[] => [...new Set(text.match(/⟦company-\d+⟧/g))];

/**
 * Compares what clients have seen with what is stored. What was acknowledged is stored, once, with its event and its
 * remembered answer; what was refused left nothing; what is unknown is there wholly or not at all.
 * @param isRepeated whether what was unknown and has an Idempotency-Key has been repeated until it was answered
 */
export function checkConsistency(operations: readonly Operation[], stored: Snapshot, isRepeated: boolean): Finding[] {
  const findings: Finding[] = replayAuditLog(stored);
  const found = (kind: Finding['kind'], text: string) => findings.push({ kind, text });
  const byOp = Map.groupBy(stored.events, ({ request_id }) => request_id.replace(/\.\d+$/, ''));
  const rows = [...stored.tasks, ...stored.vendors].map((row) => ({ row, text: JSON.stringify(row) }));
  const recordBodies = new Map(stored.idempotencyRecords.map(({ name, body }) => [name, body]));

  for (const { row, text } of rows)
    for (const marker of findMarkers(text))
      if (marker !== companyMarker(row.company_id))
        found('cross-tenant', `${row.unique_id} of company ${row.company_id} bears ${marker}`);
  for (const operation of operations) {
    const { request: sent, attempts: came } = operation;
    const outcome = finalOutcome(operation);
    const events = byOp.get(sent.operationId) ?? [];
    const description = `${sent.operationId} (${sent.action} of a ${sent.resourceType}, ${outcome}: ${came.map(({ status }) => status).join(', ')})`;
    for (const one of came) {
      for (const marker of one.foreignMarkers ?? [])
        found('cross-tenant', `${description}: its answer bears ${marker}`);
      if (one.durationMs > MAX_REQUEST_MS) found('timeout', `${description}: took ${Math.round(one.durationMs)} ms`);
    }
    const wrong = checkResponses(operation);
    if (wrong !== undefined) found(wrong.kind, `${description}: ${wrong.text}`);
    if (sent.action === 'read') continue;
    if (events.length > 1) found('inconsistent', `${description}: was carried out ${events.length} times`);
    if (sent.action === 'rejection' || outcome === 'rejected') {
      if (events.length > 0 || rows.some(({ text }) => text.includes(sent.operationId)))
        found('inconsistent', `${description}: left a trace`);
      continue;
    }
    const [event] = events;
    const recordBody = recordBodies.get(hash('sha256', sent.operationId));
    if (event === undefined) {
      if (outcome === 'acknowledged') found('lost', `${description}: is not stored`);
      else if (isRepeated && sent.hasIdempotencyKey)
        found('lost', `${description}: is not stored though it was repeated`);
      if (recordBody !== undefined) found('inconsistent', `${description}: its answer is stored and its change is not`);
      continue;
    }
    if (!matchesOperation(event, operation))
      found('inconsistent', `${description}: its event is ${event.action} of ${event.resource_id}`);
    if (sent.hasIdempotencyKey && recordBody === undefined)
      found('inconsistent', `${description}: its change is stored and its answer is not`);
    if (typeof recordBody === 'string' && !recordBody.includes(event.resource_id))
      found('inconsistent', `${description}: the answer that is stored is another's`);
  }
  const known = new Set(operations.map(({ request: sent }) => sent.operationId));
  for (const op of byOp.keys())
    if (!known.has(op)) found('inconsistent', `there are events of ${op}, which nobody sent`);
  return findings;
}

/** Whether an event is of that change, of that resource and with that text. */
function matchesOperation(event: AuditEventRow, { request: sent, attempts: came }: Operation): boolean {
  const id = came.find(({ resource }) => resource !== undefined)?.resource ?? sent.resource;
  return (
    event.company_id === sent.company &&
    event.action === `${sent.resourceType}.${sent.action}` &&
    (id === undefined || event.resource_id === id) &&
    (sent.action === 'delete' || JSON.stringify(event.changes).includes(sent.operationId))
  );
}

/** What is wrong with the answers themselves. A repetition may find that its first attempt is still being carried out. */
function checkResponses({ request: sent, attempts: came }: Operation): Finding | undefined {
  const fault = came.find(({ status }) => typeof status === 'number' && status >= 500 && status !== 503);
  if (fault !== undefined) return { kind: 'wrong response', text: `was answered ${fault.status}` };
  const settled = came.find(({ outcome }) => outcome !== 'unknown');
  if (settled === undefined || (settled.outcome === 'rejected') === (sent.action === 'rejection')) return undefined;
  if (sent.action === 'rejection') return { kind: 'wrong response', text: 'should have been refused' };
  // What was there and is not found any more is lost; whatever else is refused should not have been.
  return { kind: settled.status === 404 ? 'lost' : 'wrong response', text: `was refused with ${settled.status}` };
}

/** How an answer is to be understood: 503 leaves open whether the change was made, as no answer does. */
export function outcomeForStatus(status: number, code: string | undefined): AttemptResult['outcome'] {
  if (status >= 200 && status < 300) return 'acknowledged';
  return status >= 500 || status === 429 || (status === 409 && code === 'idempotency_conflict')
    ? 'unknown'
    : 'rejected';
}
