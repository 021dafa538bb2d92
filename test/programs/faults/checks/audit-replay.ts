import { isDeepStrictEqual } from 'node:util';
import type { AuditEventRow, TableRow, Snapshot } from './snapshot.ts';
import type { Finding } from './finding.ts';

/** Columns that audit events do not list: those that every change updates, and those of series of tasks. */
const UNLISTED = new Set([
  'version',
  'updated_at',
  'updated_by_id',
  'next_id',
  'series_id',
  'closed_at',
  'closed_by_id',
]);

const isFieldChange = (value: unknown): value is { from: unknown; to: unknown } =>
  typeof value === 'object' && value !== null && 'from' in value && 'to' in value;

/**
 * Rebuilds all rows from the audit events and compares them with the stored rows. Each version must equal the number of
 * changes, and each task count the number of tasks of its framework.
 */
export function replayAuditLog({ tasks, vendors, events, taskCounts }: Snapshot): Finding[] {
  return [
    ...replayResources('task', tasks, events),
    ...replayResources('vendor', vendors, events),
    ...checkTaskCounts(tasks, taskCounts),
  ];
}

function replayResources(
  type: 'task' | 'vendor',
  rows: readonly TableRow[],
  events: readonly AuditEventRow[],
): Finding[] {
  const findings: Finding[] = [];
  const inconsistent = (text: string) => findings.push({ kind: 'inconsistent', text });
  const rebuilt = new Map<string, TableRow>();
  for (const { action, resource_type, resource_id: id, changes, company_id } of events) {
    if (resource_type !== type) continue;
    const before = rebuilt.get(`${company_id} ${id}`);
    if (action === `${type}.create`) {
      if (before !== undefined) inconsistent(`${type} ${id} is created twice in the audit log`);
      rebuilt.set(`${company_id} ${id}`, { ...(changes as TableRow), company_id });
    } else if (before === undefined) inconsistent(`${action} of ${id} comes before its creation or after its deletion`);
    else if (action === `${type}.delete`) {
      const last = withoutUnlisted({ ...(changes as TableRow), company_id });
      if (!isDeepStrictEqual(last, withoutUnlisted(before)))
        inconsistent(`the deleted ${id} differs from the audit log`);
      rebuilt.delete(`${company_id} ${id}`);
    } else {
      for (const [column, change] of Object.entries(changes)) {
        if (!isFieldChange(change) || !isDeepStrictEqual(change.from, before[column]))
          inconsistent(`${action} of ${id} has a wrong previous value of ${column}`);
        else before[column] = change.to;
      }
      before.version += 1;
    }
  }
  for (const row of rows) {
    const key = `${row.company_id} ${row.unique_id}`;
    const expected = rebuilt.get(key);
    rebuilt.delete(key);
    if (expected === undefined) inconsistent(`${type} ${row.unique_id} is stored and has no audit event`);
    else if (!isDeepStrictEqual(withoutUnlisted(row), withoutUnlisted(expected)))
      inconsistent(`${type} ${row.unique_id} differs from the audit log`);
    else if (row.version !== expected.version)
      inconsistent(
        `${type} ${row.unique_id} has version ${row.version} after ${expected.version} changes in the audit log`,
      );
  }
  for (const key of rebuilt.keys())
    findings.push({ kind: 'lost', text: `${type} ${key.split(' ')[1]} is in the audit log and is not stored` });
  return findings;
}

const withoutUnlisted = (row: TableRow) =>
  Object.fromEntries(Object.entries(row).filter(([column]) => !UNLISTED.has(column)));

function checkTaskCounts(tasks: readonly TableRow[], taskCounts: Snapshot['taskCounts']): Finding[] {
  const actual = new Map<string, number>();
  for (const { company_id, framework_id } of tasks) {
    const key = `${company_id} ${String(framework_id)}`;
    actual.set(key, (actual.get(key) ?? 0) + 1);
  }
  const storedCounts = new Map(
    taskCounts.map(({ company_id, framework_id, tasks: count }) => [`${company_id} ${framework_id}`, count]),
  );
  return [...new Set([...actual.keys(), ...storedCounts.keys()])]
    .filter((key) => (actual.get(key) ?? 0) !== (storedCounts.get(key) ?? 0))
    .map((key) => ({
      kind: 'inconsistent',
      text: `framework ${key.split(' ')[1]} of company ${key.split(' ')[0]} has ${actual.get(key) ?? 0} tasks and a task count of ${storedCounts.get(key) ?? 0}`,
    }));
}
