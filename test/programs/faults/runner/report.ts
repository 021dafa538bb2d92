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

const rowName = ({ row, name }: Fault) => row ?? name;

/** A row of the table, with the rounds of all faults that share it. */
function tableRow(name: string, database: string, roundResults: readonly RoundResult[]): string[] {
  const findings = roundResults.flatMap((round) => round.findings);
  const counts = FINDING_KINDS.map(
    (kind) => [kind, findings.filter((finding) => finding.kind === kind).length] as const,
  );
  const found = counts.filter(([, count]) => count > 0).map(([kind, count]) => `${kind}: ${count}`);
  const recoveryTimes = roundResults.map(({ recoveryMs }) => recoveryMs);
  return [
    name,
    database,
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
  const groups = Map.groupBy(results, ({ fault }) => `${fault.environment.database} ${rowName(fault)}`);
  const tableRows = [...groups.values()].flatMap((group) => {
    const [first] = group;
    const rounds = group.flatMap(({ roundResults }) => roundResults);
    return first === undefined ? [] : [tableRow(rowName(first.fault), first.fault.environment.database, rounds)];
  });
  const rows = [COLUMNS, ...tableRows];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  const line = (cells: string[]) =>
    `| ${cells.map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = widths.map((width, column) => (column < 2 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  const [head = [], ...body] = rows;
  return [line(head), `| ${rule.join(' | ')} |`, ...body.map(line)].join('\n');
}

/** Explanation of the table. */
export const LEGEND = `
Twelve clients of three companies send reads, writes, and requests that must fail, and the program injects the fault. Each request is logged before it
is sent, and each response when it arrives. Then the program compares the log with the stored rows, repeats requests whose outcome is unknown, and
compares again. Findings are lost writes, a change without its event or made twice, an audit log that does not verify, text of another company,
resources that were not released, requests of more than five seconds, and wrong responses.

The outcome is unknown if there was no response or a 503. The recovery lasts from the end of the fault, when a killed service runs again or a stopped
PostgreSQL accepts connections, to the first acknowledged write; the table shows the longest one. The points of a write begin before the change is sent
to PostgreSQL and end when the result of COMMIT arrives. After \`kill -9\` the operating system still writes its cache, so this is not a power loss.
`.trim();
