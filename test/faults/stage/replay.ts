import { isDeepStrictEqual } from 'node:util';
import type { Event, Row, Snapshot } from './snapshot.ts';
import type { Finding } from './oracle.ts';

/** Columns that a change of a row always changes, and that its event does not list. */
const STAMPS = new Set(['version', 'updated_at', 'updated_by_id']);

const isChange = (value: unknown): value is { from: unknown; to: unknown } =>
  typeof value === 'object' && value !== null && 'from' in value && 'to' in value;

/**
 * Replays the trail from nothing and compares what comes out with what is stored: each row is what its events made it,
 * each version is the number of its changes, and each framework's count is the number of its tasks.
 */
export function replay({ tasks, vendors, events, counts }: Snapshot): Finding[] {
  return [...replayed('task', tasks, events), ...replayed('vendor', vendors, events), ...counted(tasks, counts)];
}

function replayed(type: 'task' | 'vendor', rows: readonly Row[], events: readonly Event[]): Finding[] {
  const findings: Finding[] = [];
  const halfDone = (text: string) => findings.push({ kind: 'half-done', text });
  const built = new Map<string, Row>();
  for (const { action, resource_type, resource_id: id, changes, company_id } of events) {
    if (resource_type !== type) continue;
    const before = built.get(`${company_id} ${id}`);
    if (action === `${type}.create`) {
      if (before !== undefined) halfDone(`${type} ${id} is created twice in the trail`);
      built.set(`${company_id} ${id}`, { ...(changes as Row), company_id });
    } else if (before === undefined) halfDone(`${action} of ${id} comes before its creation or after its end`);
    else if (action === `${type}.delete`) {
      const last = withoutStamps({ ...(changes as Row), company_id });
      if (!isDeepStrictEqual(last, withoutStamps(before))) halfDone(`${id} was not deleted as the trail had it`);
      built.delete(`${company_id} ${id}`);
    } else {
      for (const [column, change] of Object.entries(changes)) {
        if (!isChange(change) || !isDeepStrictEqual(change.from, before[column]))
          halfDone(`${action} of ${id} changes ${column} from what it was not`);
        else before[column] = change.to;
      }
      before.version += 1;
    }
  }
  for (const row of rows) {
    const place = `${row.company_id} ${row.unique_id}`;
    const expected = built.get(place);
    built.delete(place);
    if (expected === undefined) halfDone(`${type} ${row.unique_id} is stored, and the trail does not say so`);
    else if (!isDeepStrictEqual(withoutStamps(row), withoutStamps(expected)))
      halfDone(`${type} ${row.unique_id} is not what the trail made it`);
    else if (row.version !== expected.version)
      halfDone(`${type} ${row.unique_id} has version ${row.version} after ${expected.version} changes in the trail`);
  }
  for (const place of built.keys())
    findings.push({ kind: 'lost', text: `${type} ${place.split(' ')[1]} is in the trail and is not stored` });
  return findings;
}

const withoutStamps = (row: Row) => Object.fromEntries(Object.entries(row).filter(([column]) => !STAMPS.has(column)));

function counted(tasks: readonly Row[], counts: Snapshot['counts']): Finding[] {
  const actual = new Map<string, number>();
  for (const { company_id, framework_id } of tasks) {
    const place = `${company_id} ${String(framework_id)}`;
    actual.set(place, (actual.get(place) ?? 0) + 1);
  }
  const claimed = new Map(counts.map(({ company_id, framework_id, tasks: n }) => [`${company_id} ${framework_id}`, n]));
  return [...new Set([...actual.keys(), ...claimed.keys()])]
    .filter((place) => (actual.get(place) ?? 0) !== (claimed.get(place) ?? 0))
    .map((place) => ({
      kind: 'half-done',
      text: `framework ${place.split(' ')[1]} of company ${place.split(' ')[0]} has ${actual.get(place) ?? 0} tasks and counts ${claimed.get(place) ?? 0}`,
    }));
}
