import { isFieldChange } from '../../entities/audit/changes.ts';
import type { Checkpoint } from '../../entities/audit/checkpoint.ts';
import type { EventRecord } from '../../entities/audit/event-statements.ts';

/** Maximum size of a body in bytes of UTF-8. */
export const MAX_BODY_BYTES = 20_000;

const TRUNCATED = { truncated: true };

/** Event of a webhook. `data` is the audit event as in the audit log, also in form for `webhook.test`, or a checkpoint. */
export interface WebhookEvent {
  type: string;
  timestamp: string;
  /** Number of the event in the change feed; null for `webhook.test` and `audit.checkpoint`. */
  sequence: number | null;
  data: EventRecord | Checkpoint;
}

/** Serializes an event. If it is too long, the longest values below `data.changes` become `{"truncated": true}` first. */
export function webhookBody(event: WebhookEvent): string {
  const text = JSON.stringify(event);
  const { data } = event;
  let excess = Buffer.byteLength(text) - MAX_BODY_BYTES;
  if (excess <= 0 || !('changes' in data)) return text;
  const changes = structuredClone(data.changes);
  for (const { holder, name, bytes } of valuesOf(changes).toSorted((a, b) => b.bytes - a.bytes)) {
    if (excess <= 0) break;
    Reflect.set(holder, name, TRUNCATED);
    excess -= bytes - byteLength(TRUNCATED);
  }
  return JSON.stringify({ ...event, data: { ...data, changes } });
}

/** The fields of an object that was created or deleted, and the values before and after of each changed field. */
function valuesOf(changes: object): { holder: object; name: string; bytes: number }[] {
  return Object.entries(changes).flatMap(([name, value]: [string, unknown]) =>
    isFieldChange(value)
      ? (['from', 'to'] as const).map((side) => ({ holder: value, name: side, bytes: byteLength(value[side]) }))
      : [{ holder: changes, name, bytes: byteLength(value) }],
  );
}

const byteLength = (value: unknown) => Buffer.byteLength(JSON.stringify(value) ?? '');
