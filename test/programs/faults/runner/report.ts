import type { Fault } from './fault.ts';
import type { Finding } from '../checks/finding.ts';
import type { RoundResult } from './round.ts';

/** A fault and the results of its rounds. */
export interface FaultResult {
  fault: Fault;
  roundResults: RoundResult[];
}

const FINDING_KINDS = [
  'lost',
  'inconsistent',
  'cross-tenant',
  'leaked',
  'timeout',
  'wrong response',
] as const satisfies Finding['kind'][];
const COLUMNS = ['fault', 'on', 'times', 'acknowledged', 'unknown', 'findings', 'longest request, s', 'recovery, s'];

const formatSeconds = (milliseconds: number) => (milliseconds / 1000).toFixed(2);
const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

function tableRow({ fault, roundResults }: FaultResult): string[] {
  const findings = roundResults.flatMap((round) => round.findings);
  const counts = FINDING_KINDS.map(
    (kind) => [kind, findings.filter((finding) => finding.kind === kind).length] as const,
  );
  const found = counts.filter(([, count]) => count > 0).map(([kind, count]) => `${kind}: ${count}`);
  const recoveryTimes = roundResults.map(({ recoveryMs }) => recoveryMs);
  return [
    fault.name,
    fault.environment.database,
    String(roundResults.length),
    String(sum(roundResults.map(({ acknowledged }) => acknowledged))),
    String(sum(roundResults.map(({ unknown }) => unknown))),
    found.length === 0 ? '0' : found.join(', '),
    formatSeconds(Math.max(...roundResults.map(({ longestRequestMs }) => longestRequestMs))),
    recoveryTimes.includes(undefined) ? 'never' : formatSeconds(Math.max(...recoveryTimes.map((time) => time ?? 0))),
  ];
}

/** Formats the results as a Markdown table. Numbers are right-aligned, so that the source is readable too. */
export function markdownTable(results: readonly FaultResult[]): string {
  const rows = [COLUMNS, ...results.map(tableRow)];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  const line = (cells: string[]) =>
    `| ${cells.map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = widths.map((width, column) => (column < 2 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  const [head = [], ...body] = rows;
  return [line(head), `| ${rule.join(' | ')} |`, ...body.map(line)].join('\n');
}

/** Explanation of the table. */
export const LEGEND = `
Twelve clients of three companies send reads, writes, and requests that must fail. The program logs each request with fsync before the client sends
it, and each response when it arrives. Then it injects the fault. Afterwards it compares the rows in the database with the log, repeats the requests
whose outcome is unknown and that have an \`Idempotency-Key\`, and compares again. It counts these findings:

- lost: an acknowledged write is not stored.
- inconsistent: a change without its audit event, idempotency record or task count; an event without a change; a change that was made twice; a row that a
  rejected request wrote; an audit log that does not verify.
- cross-tenant: text of another company in a response or a row.
- leaked: pool slots, file descriptors or heap that the service did not release.
- timeout: a request that took more than five seconds, or a service that did not recover.
- wrong response: status 500, an error for a valid request, a connection that SIGTERM broke, or a failed check of the fault itself.

The outcome of a request is unknown if it got no response or a 503. The recovery lasts from the end of the fault to the first acknowledged write; the
table shows the longest one. A fault ends when a killed service has started again, or a stopped PostgreSQL accepts connections. After \`kill -9\` the
operating system still writes its cache to the disk, so these faults do not simulate a power loss.
`.trim();
