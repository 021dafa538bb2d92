import type { Check } from './checks.ts';
import type { PhaseCounts } from './load.ts';
import type { KillResult } from './kills.ts';

const row = (cells: (string | number)[]) => `| ${cells.join(' | ')} |`;

/** Two tables in Markdown: the phases with their requests, and the facts that must be kept. */
export function phasesTable(phases: readonly PhaseCounts[], checks: readonly Check[]): string {
  return [
    row(['phase', 'seconds', 'requests', 'sent again after 503 or without a connection', 'failed', 'longest wait']),
    row(['---', '---:', '---:', '---:', '---:', '---:']),
    ...phases.map(({ name, seconds, requests, resent, failures, longestMs }) =>
      row([name, seconds.toFixed(1), requests, resent, failures.length, `${(longestMs / 1000).toFixed(2)} s`]),
    ),
    '',
    row(['check', 'result', 'as it must be']),
    row(['---', '---', '---']),
    ...checks.map(({ name, result, isMet }) => row([name, result, isMet ? 'yes' : 'no'])),
  ].join('\n');
}

/** A table in Markdown with a row for each database. */
export function killsTable(results: readonly KillResult[]): string {
  return [
    row(['database', 'upgrade takes', 'kills', 'older version started', 'differences']),
    row(['---', '---:', '---', '---:', '---:']),
    ...results.map(({ database, durationMs, rounds, states, olderStarts, findings }) =>
      row([
        database,
        `${(durationMs / 1000).toFixed(1)} s`,
        `${rounds}: ${[...states].map(([state, count]) => `${count} ${state}`).join(', ')}`,
        `${olderStarts.succeeded} of ${olderStarts.tried}`,
        findings.length,
      ]),
    ),
  ].join('\n');
}
