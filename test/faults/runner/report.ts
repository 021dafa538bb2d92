import type { Fault } from './fault.ts';
import type { Finding } from '../checks/oracle.ts';
import type { RoundResult } from './round.ts';

/** A fault, and what came of each time it struck. */
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
const COLUMNS = [
  'fault',
  'on',
  'times',
  'acknowledged',
  'unknown',
  ...FINDING_KINDS,
  'longest request',
  'recovered in',
];

const formatSeconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(2)} s`;
const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

function tableRow({ fault, roundResults: outcomes }: FaultResult): string[] {
  const counted = (kind: Finding['kind']) =>
    String(sum(outcomes.map(({ findings }) => findings.filter((finding) => finding.kind === kind).length)));
  const recovered = outcomes.map(({ recoveryMs: recoveredIn }) => recoveredIn);
  return [
    fault.name,
    fault.environment.database,
    String(outcomes.length),
    String(sum(outcomes.map(({ acknowledged }) => acknowledged))),
    String(sum(outcomes.map(({ unknown }) => unknown))),
    ...FINDING_KINDS.map(counted),
    formatSeconds(Math.max(...outcomes.map(({ longestRequestMs: longest }) => longest))),
    recovered.includes(undefined) ? 'never' : formatSeconds(Math.max(...recovered.map((one) => one ?? 0))),
  ];
}

/** The results as a table of Markdown, each number padded so that it can be read as it is. */
export function markdownTable(results: readonly FaultResult[]): string {
  const rows = [COLUMNS, ...results.map(tableRow)];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  const line = (cells: string[]) =>
    `| ${cells.map((cell, no) => (no < 2 ? cell.padEnd(widths[no] ?? 0) : cell.padStart(widths[no] ?? 0))).join(' | ')} |`;
  const rule = widths.map((width, no) => (no < 2 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  const [head = [], ...body] = rows;
  return [line(head), `| ${rule.join(' | ')} |`, ...body.map(line)].join('\n');
}

/** What the table shows, in words. */
export const LEGEND = `
Twelve clients of three companies read, write, and try what must be refused; each request is written down, with fsync, before it is
sent and when it is answered. Then the fault strikes. Afterwards the database is read past the service and compared with what was
written down; what is unknown is repeated with its \`Idempotency-Key\`, and all is compared once more.

- lost: acknowledged, or repeated until it was, and not stored. half-done: a change without its event, its remembered answer or its
  count, an event without its change, a change that was made twice, a trace of something refused, a trail that does not verify.
- foreign: texts of another company, in answers or rows. leaked: places in the pool, descriptors or heap that did not come back.
- hung: requests of more than five seconds, and a service that does not come back. wrong: answers that should have been others: 500,
  a refusal of what is right, a broken connection at SIGTERM, and what a fault checks of its own.
- unknown: no answer, or 503; reads among them. recovered in: from the end of the fault (from the start of the new process, where it was
  killed; from when PostgreSQL lets somebody in, where that was) to the first write that is acknowledged; the longest of all times.

kill -9 leaves what was written in the cache of the operating system: the loss of power is not shown by this.
`.trim();
