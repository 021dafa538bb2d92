import { KILLS } from './run.ts';
import type { KillResult } from './run.ts';

/** A table in Markdown: which cell took writes after each kill. Calls with the same results share a row. */
export function markdownReport(results: readonly KillResult[]): string {
  const calls = Map.groupBy(results, ({ side, call }) => `${side} ${call}`);
  const rows = [...calls.values()].flatMap((kills) =>
    kills.slice(0, 1).map(({ side, call }) => ({
      call: `\`${call}\``,
      outcome: [side, ...KILLS.map(({ name }) => kills.find(({ kill }) => kill === name)?.writable ?? '')].join(' | '),
    })),
  );
  const groups = Map.groupBy(rows, ({ outcome }) => outcome);
  const lines = [...groups].map(([outcome, group]) => [group.map(({ call }) => call).join(', '), outcome]);
  const header = ['calls', 'of the', ...KILLS.map(({ name }) => name)];
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
