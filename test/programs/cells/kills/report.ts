import { KILLS } from './run.ts';
import type { KillResult } from './run.ts';

/** A table in Markdown: which cell took writes after each kill. */
export function markdownReport(results: readonly KillResult[]): string {
  const rows = Map.groupBy(results, ({ side, call }) => `\`${call}\` | ${side}`);
  const header = ['call', 'of the', ...KILLS.map(({ name }) => name)];
  const lines = [...rows].map(([key, kills]) =>
    [key].concat(KILLS.map(({ name }) => kills.find(({ kill }) => kill === name)?.writable ?? '')),
  );
  const table = [header, header.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`);
  const count = results.flatMap(({ violations }) => violations).length;
  return [
    `${results.length} kills, ${count} violations. The table says which cell acknowledged writes once all processes ran again.`,
    '',
    ...table,
  ].join('\n');
}

/** Violations of a kill, one on each line. */
export const violationsOf = ({ side, call, kill, violations }: KillResult): string[] =>
  violations.map((violation) => `${call} of the ${side}, ${kill}: ${violation}`);
