import { hash } from 'node:crypto';
import { replay } from './replay.ts';
import type { Event, Snapshot } from './snapshot.ts';
import { outcomeOf } from './witness.ts';
import type { Came, Told } from './witness.ts';

/** What went wrong. `wrong` is an answer that should have been another. */
export interface Finding {
  kind: 'lost' | 'half-done' | 'foreign' | 'leaked' | 'hung' | 'wrong';
  text: string;
}

/** Milliseconds in which every request ends, one way or the other. */
const PATIENCE = 5000;

/** Each text of a company bears its marker, and nobody else's may. */
export const markerOf = (company: number) => `⟦company-${company}⟧`;
export const markersIn = (text: string): string[] => [...new Set(text.match(/⟦company-\d+⟧/g))];

/**
 * Compares what clients have seen with what is stored. What was acknowledged is stored, once, with its event and its
 * remembered answer; what was refused left nothing; what is unknown is there wholly or not at all.
 * @param isRepeated whether what was unknown and has an Idempotency-Key has been repeated until it was answered
 */
export function judge(witness: readonly Told[], stored: Snapshot, isRepeated: boolean): Finding[] {
  const findings: Finding[] = replay(stored);
  const found = (kind: Finding['kind'], text: string) => findings.push({ kind, text });
  const byOp = Map.groupBy(stored.events, ({ request_id }) => request_id.replace(/\.\d+$/, ''));
  const rows = [...stored.tasks, ...stored.vendors].map((row) => ({ row, text: JSON.stringify(row) }));
  const answers = new Map(stored.answers.map(({ name, body }) => [name, body]));

  for (const { row, text } of rows)
    for (const marker of markersIn(text))
      if (marker !== markerOf(row.company_id))
        found('foreign', `${row.unique_id} of company ${row.company_id} bears ${marker}`);
  for (const told of witness) {
    const { sent, came } = told;
    const outcome = outcomeOf(told);
    const events = byOp.get(sent.op) ?? [];
    const what = `${sent.op} (${sent.does} of a ${sent.type}, ${outcome}: ${came.map(({ status }) => status).join(', ')})`;
    for (const one of came) {
      for (const marker of one.foreign ?? []) found('foreign', `${what}: its answer bears ${marker}`);
      if (one.took > PATIENCE) found('hung', `${what}: took ${Math.round(one.took)} ms`);
    }
    const wrong = misjudged(told);
    if (wrong !== undefined) found(wrong.kind, `${what}: ${wrong.text}`);
    if (sent.does === 'read') continue;
    if (events.length > 1) found('half-done', `${what}: was carried out ${events.length} times`);
    if (sent.does === 'refusal' || outcome === 'refused') {
      if (events.length > 0 || rows.some(({ text }) => text.includes(sent.op)))
        found('half-done', `${what}: left a trace`);
      continue;
    }
    const [event] = events;
    const answered = answers.get(hash('sha256', sent.op));
    if (event === undefined) {
      if (outcome === 'acknowledged') found('lost', `${what}: is not stored`);
      else if (isRepeated && sent.isOnce) found('lost', `${what}: is not stored though it was repeated`);
      if (answered !== undefined) found('half-done', `${what}: its answer is stored and its change is not`);
      continue;
    }
    if (!isOf(event, told)) found('half-done', `${what}: its event is ${event.action} of ${event.resource_id}`);
    if (sent.isOnce && answered === undefined)
      found('half-done', `${what}: its change is stored and its answer is not`);
    if (typeof answered === 'string' && !answered.includes(event.resource_id))
      found('half-done', `${what}: the answer that is stored is another's`);
  }
  const known = new Set(witness.map(({ sent }) => sent.op));
  for (const op of byOp.keys()) if (!known.has(op)) found('half-done', `there are events of ${op}, which nobody sent`);
  return findings;
}

/** Whether an event is of that change, of that resource and with that text. */
function isOf(event: Event, { sent, came }: Told): boolean {
  const id = came.find(({ resource }) => resource !== undefined)?.resource ?? sent.resource;
  return (
    event.company_id === sent.company &&
    event.action === `${sent.type}.${sent.does}` &&
    (id === undefined || event.resource_id === id) &&
    (sent.does === 'delete' || JSON.stringify(event.changes).includes(sent.op))
  );
}

/** What is wrong with the answers themselves. A repetition may find that its first attempt is still being carried out. */
function misjudged({ sent, came }: Told): Finding | undefined {
  const fault = came.find(({ status }) => typeof status === 'number' && status >= 500 && status !== 503);
  if (fault !== undefined) return { kind: 'wrong', text: `was answered ${fault.status}` };
  const settled = came.find(({ outcome }) => outcome !== 'unknown');
  if (settled === undefined || (settled.outcome === 'refused') === (sent.does === 'refusal')) return undefined;
  if (sent.does === 'refusal') return { kind: 'wrong', text: 'should have been refused' };
  // What was there and is not found any more is lost; whatever else is refused should not have been.
  return { kind: settled.status === 404 ? 'lost' : 'wrong', text: `was refused with ${settled.status}` };
}

/** How an answer is to be understood: 503 leaves open whether the change was made, as no answer does. */
export function outcomeOfStatus(status: number, code: string | undefined): Came['outcome'] {
  if (status >= 200 && status < 300) return 'acknowledged';
  return status >= 500 || status === 429 || (status === 409 && code === 'idempotency_conflict') ? 'unknown' : 'refused';
}
