import { hash } from 'node:crypto';
import { companyMarker, foreignMarkers } from '../../../support/http/markers.ts';
import { replayAuditLog } from './audit-replay.ts';
import type { Finding } from './finding.ts';
import type { AuditEventRow, Snapshot } from './snapshot.ts';
import { finalOutcome } from '../workload/operation-log.ts';
import type { AttemptResult, Operation } from '../workload/operation-log.ts';

/** Maximum duration of a request, successful or not. */
const MAX_REQUEST_MS = 5000;

/**
 * Compares the responses that clients received with the stored rows. An acknowledged write is stored once, with its audit
 * event and its idempotency record. A rejected request wrote nothing. An unknown write is stored completely or not at all.
 * @param isRetried true if unknown requests with an Idempotency-Key have been retried until they got a response
 */
export function checkConsistency(operations: readonly Operation[], stored: Snapshot, isRetried: boolean): Finding[] {
  const findings: Finding[] = replayAuditLog(stored);
  const addFinding = (kind: Finding['kind'], text: string) => findings.push({ kind, text });
  const eventsByOperation = Map.groupBy(stored.events, ({ request_id }) => request_id.replace(/\.\d+$/, ''));
  const rows = [...stored.tasks, ...stored.vendors].map((row) => ({ row, text: JSON.stringify(row) }));
  const recordBodies = new Map(stored.idempotencyRecords.map(({ key_hash, body }) => [key_hash, body]));

  for (const { row, text } of rows)
    for (const marker of foreignMarkers(text, companyMarker(row.company_id)))
      addFinding('cross-tenant', `${row.unique_id} of company ${row.company_id} has the marker ${marker}`);
  for (const operation of operations) {
    const { request, attempts } = operation;
    const outcome = finalOutcome(operation);
    const events = eventsByOperation.get(request.operationId) ?? [];
    const description = `${request.operationId} (${request.action} of a ${request.resourceType}, ${outcome}: ${attempts.map(({ status }) => status).join(', ')})`;
    for (const attempt of attempts) {
      for (const marker of attempt.foreignMarkers ?? [])
        addFinding('cross-tenant', `${description}: its response has the marker ${marker}`);
      if (attempt.durationMs > MAX_REQUEST_MS)
        addFinding('timeout', `${description}: took ${Math.round(attempt.durationMs)} ms`);
    }
    const wrong = checkResponses(operation);
    if (wrong !== undefined) addFinding(wrong.kind, `${description}: ${wrong.text}`);
    if (request.action === 'read') continue;
    if (events.length > 1) addFinding('inconsistent', `${description}: has ${events.length} audit events`);
    if (request.action === 'rejection' || outcome === 'rejected') {
      if (events.length > 0 || rows.some(({ text }) => text.includes(request.operationId)))
        addFinding('inconsistent', `${description}: was rejected and wrote rows`);
      continue;
    }
    const [event] = events;
    const recordBody = recordBodies.get(hash('sha256', request.operationId));
    if (event === undefined) {
      if (outcome === 'acknowledged') addFinding('lost', `${description}: is not stored`);
      else if (isRetried && request.hasIdempotencyKey)
        addFinding('lost', `${description}: is not stored although it was retried`);
      if (recordBody !== undefined)
        addFinding('inconsistent', `${description}: its idempotency record is stored and its change is not`);
      continue;
    }
    if (!matchesOperation(event, operation))
      addFinding('inconsistent', `${description}: its audit event is ${event.action} of ${event.resource_id}`);
    if (request.hasIdempotencyKey && recordBody === undefined)
      addFinding('inconsistent', `${description}: its change is stored and its idempotency record is not`);
    if (typeof recordBody === 'string' && !recordBody.includes(event.resource_id))
      addFinding('inconsistent', `${description}: the stored response belongs to another request`);
  }
  const known = new Set(operations.map(({ request }) => request.operationId));
  for (const operationId of eventsByOperation.keys())
    if (!known.has(operationId))
      addFinding('inconsistent', `the audit log has events of ${operationId}, which no client sent`);
  return findings;
}

/** Checks that an audit event has the company, action, resource and text of an operation. */
function matchesOperation(event: AuditEventRow, { request, attempts }: Operation): boolean {
  const id = attempts.find(({ resource }) => resource !== undefined)?.resource ?? request.resource;
  return (
    event.company_id === request.company &&
    event.action === `${request.resourceType}.${request.action}` &&
    (id === undefined || event.resource_id === id) &&
    (request.action === 'delete' || JSON.stringify(event.changes).includes(request.operationId))
  );
}

/** Finds a wrong status among the responses. A retry may find that its first attempt is still running. */
function checkResponses({ request, attempts }: Operation): Finding | undefined {
  const serverError = attempts.find(({ status }) => typeof status === 'number' && status >= 500 && status !== 503);
  if (serverError !== undefined) return { kind: 'wrong response', text: `got ${serverError.status}` };
  const settled = attempts.find(({ outcome }) => outcome !== 'unknown');
  if (settled === undefined || (settled.outcome === 'rejected') === (request.action === 'rejection')) return undefined;
  if (request.action === 'rejection') return { kind: 'wrong response', text: 'should have been rejected' };
  // 404 for an existing resource means that it is lost. Any other error is a wrong response.
  return { kind: settled.status === 404 ? 'lost' : 'wrong response', text: `was rejected with ${settled.status}` };
}

/** Classifies a response. After 503, as without a response, the write may be committed or not. */
export function outcomeForStatus(status: number, code: string | undefined): AttemptResult['outcome'] {
  if (status >= 200 && status < 300) return 'acknowledged';
  return status >= 500 || status === 429 || (status === 409 && code === 'idempotency_conflict')
    ? 'unknown'
    : 'rejected';
}
