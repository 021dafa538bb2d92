import { isDeepStrictEqual } from 'node:util';
import type { AuditEventRow, TableRow, Snapshot } from './snapshot.ts';
import type { Finding } from './oracle.ts';

/** Columns that a change of a row always changes, and that its event does not list. */
const CHANGE_METADATA = new Set(['version', 'updated_at', 'updated_by_id']);

const isFieldChange = (value: unknown): value is { from: unknown; to: unknown } =>
  typeof value === 'object' && value !== null && 'from' in value && 'to' in value;

/**
 * Replays the trail from nothing and compares what comes out with what is stored: each row is what its events made it,
 * each version is the number of its changes, and each framework's count is the number of its tasks.
 */
export function replayAuditLog({ tasks, vendors, events, taskCounts: counts }: Snapshot): Finding[] {
  return [
    ...replayResources('task', tasks, events),
    ...replayResources('vendor', vendors, events),
    ...checkTaskCounts(tasks, counts),
  ];
}

function replayResources(
  type: 'task' | 'vendor',
  rows: readonly TableRow[],
  events: readonly AuditEventRow[],
): Finding[] {
  const findings: Finding[] = [];
  const halfDone = (text: string) => findings.push({ kind: 'inconsistent', text });
  const rebuilt = new Map<string, TableRow>();
  for (const { action, resource_type, resource_id: id, changes, company_id } of events) {
    if (resource_type !== type) continue;
    const before = rebuilt.get(`${company_id} ${id}`);
    if (action === `${type}.create`) {
      if (before !== undefined) halfDone(`${type} ${id} is created twice in the trail`);
      rebuilt.set(`${company_id} ${id}`, { ...(changes as TableRow), company_id });
    } else if (before === undefined) halfDone(`${action} of ${id} comes before its creation or after its end`);
    else if (action === `${type}.delete`) {
      const last = withoutChangeMetadata({ ...(changes as TableRow), company_id });
      if (!isDeepStrictEqual(last, withoutChangeMetadata(before)))
        halfDone(`${id} was not deleted as the trail had it`);
      rebuilt.delete(`${company_id} ${id}`);
    } else {
      for (const [column, change] of Object.entries(changes)) {
        if (!isFieldChange(change) || !isDeepStrictEqual(change.from, before[column]))
          halfDone(`${action} of ${id} changes ${column} from what it was not`);
        else before[column] = change.to;
      }
      before.version += 1;
    }
  }
  for (const row of rows) {
    const place = `${row.company_id} ${row.unique_id}`;
    const expected = rebuilt.get(place);
    rebuilt.delete(place);
    if (expected === undefined) halfDone(`${type} ${row.unique_id} is stored, and the trail does not say so`);
    else if (!isDeepStrictEqual(withoutChangeMetadata(row), withoutChangeMetadata(expected)))
      halfDone(`${type} ${row.unique_id} is not what the trail made it`);
    else if (row.version !== expected.version)
      halfDone(`${type} ${row.unique_id} has version ${row.version} after ${expected.version} changes in the trail`);
  }
  for (const place of rebuilt.keys())
    findings.push({ kind: 'lost', text: `${type} ${place.split(' ')[1]} is in the trail and is not stored` });
  return findings;
}

const withoutChangeMetadata = (row: TableRow) =>
  Object.fromEntries(Object.entries(row).filter(([column]) => !CHANGE_METADATA.has(column)));

function checkTaskCounts(tasks: readonly TableRow[], counts: Snapshot['taskCounts']): Finding[] {
  const actual = new Map<string, number>();
  for (const { company_id, framework_id } of tasks) {
    const place = `${company_id} ${String(framework_id)}`;
    actual.set(place, (actual.get(place) ?? 0) + 1);
  }
  const storedCounts = new Map(
    counts.map(({ company_id, framework_id, tasks: n }) => [`${company_id} ${framework_id}`, n]),
  );
  return [...new Set([...actual.keys(), ...storedCounts.keys()])]
    .filter((place) => (actual.get(place) ?? 0) !== (storedCounts.get(place) ?? 0))
    .map((place) => ({
      kind: 'inconsistent',
      text: `framework ${place.split(' ')[1]} of company ${place.split(' ')[0]} has ${actual.get(place) ?? 0} tasks and counts ${storedCounts.get(place) ?? 0}`,
    }));
}
