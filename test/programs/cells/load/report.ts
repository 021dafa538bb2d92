import type { RunResult } from './run.ts';

const MEGABYTE = 2 ** 20;
/**
 * Limits of a move: growth of the memory of each cell, and of the 99th percentile of other companies' requests. A move of fewer rows is
 * too short for a percentile, and is mostly the start of the command, which shares the cores here.
 */
const MIN_ROWS_FOR_P99 = 100_000;
const MAX_MEMORY_GROWTH = 200 * MEGABYTE;
const MAX_P99_RATIO = 2;

/** Rows of the table: the name of a figure, its value, and the value that it must have. */
const FIGURES: readonly { name: string; value: (result: RunResult) => string; expected?: string }[] = [
  { name: 'moves', value: ({ moves }) => String(moves.length) },
  {
    name: 'rows of the company',
    value: ({ moves }) =>
      range(
        moves.map(({ rows }) => rows),
        '',
      ),
  },
  {
    name: 'read-only',
    value: ({ moves }) =>
      range(
        moves.map(({ readOnlyMs }) => readOnlyMs / 1000),
        ' s',
      ),
  },
  {
    name: 'longest write of a client, with its repetitions',
    value: ({ longestWriteMs }) => `${(longestWriteMs / 1000).toFixed(1)} s`,
  },
  { name: 'acknowledged writes', value: ({ acknowledged }) => String(acknowledged) },
  { name: 'lost', value: ({ lost }) => String(lost.length), expected: '0' },
  { name: 'twice', value: ({ twice }) => String(twice.length), expected: '0' },
  {
    name: 'change without event, event without change, or hole in a feed',
    value: ({ unmatched }) => String(unmatched.length),
    expected: '0',
  },
  { name: 'events that a follower of the moved company received', value: ({ followed }) => String(followed) },
  { name: 'stale reads, and replays that differ', value: ({ stale }) => String(stale.length), expected: '0' },
  {
    name: 'audit logs or checkpoints that do not hold',
    value: ({ brokenLogs }) => String(brokenLogs.length),
    expected: '0',
  },
  { name: 'responses 2xx', value: ({ responses }) => String(responses.success) },
  { name: '503 with `Retry-After`', value: ({ responses }) => String(responses.unavailable) },
  { name: '421 of the moved company', value: ({ responses }) => String(responses.misdirected) },
  { name: '409 and 412 that the load provokes', value: ({ responses }) => String(responses.provoked) },
  { name: 'other responses', value: ({ responses }) => String(responses.wrong.length), expected: '0' },
  { name: 'p99 of the other companies without a move', value: ({ p99 }) => `${p99.withoutMove.toFixed(0)} ms` },
  {
    name: 'p99 of the other companies during moves',
    value: ({ p99 }) => `${p99.duringMoves.toFixed(0)} ms`,
    expected: `below ${MAX_P99_RATIO} times that from ${MIN_ROWS_FOR_P99} rows on`,
  },
  {
    name: 'memory of the old cell, growth',
    value: ({ moves }) =>
      range(
        moves.map(({ memoryGrowth }) => memoryGrowth.from / MEGABYTE),
        ' MB',
      ),
    expected: `below ${MAX_MEMORY_GROWTH / MEGABYTE} MB`,
  },
  {
    name: 'memory of the new cell, growth',
    value: ({ moves }) =>
      range(
        moves.map(({ memoryGrowth }) => memoryGrowth.to / MEGABYTE),
        ' MB',
      ),
    expected: `below ${MAX_MEMORY_GROWTH / MEGABYTE} MB`,
  },
];

function range(values: readonly number[], unit: string): string {
  const digits = unit === ' s' ? 1 : 0;
  const [min, max] = [Math.min(...values), Math.max(...values)].map((value) => value.toFixed(digits));
  return min === max ? `${max}${unit}` : `${min} to ${max}${unit}`;
}

/** A table in Markdown with a column for each run. */
export function markdownReport(results: readonly RunResult[]): string {
  const rows = FIGURES.map(({ name, value, expected }) =>
    [expected === undefined ? name : `${name} (must be ${expected})`].concat(results.map(value)),
  );
  return [['', ...results.map((_, index) => `run ${index + 1}`)], ['---', ...results.map(() => '---:')], ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

/** Violations of a run, one on each line. */
export function violationsOf({
  lost,
  twice,
  unmatched,
  stale,
  brokenLogs,
  responses,
  p99,
  moves,
}: RunResult): string[] {
  const labelled = (label: string, texts: readonly string[]) => texts.map((text) => `${label}: ${text}`);
  const rows = Math.min(...moves.map((move) => move.rows));
  const growth = Math.max(...moves.flatMap(({ memoryGrowth }) => [memoryGrowth.from, memoryGrowth.to]));
  return [
    ...labelled('lost', lost),
    ...labelled('twice', twice),
    ...labelled('unmatched', unmatched),
    ...labelled('stale', stale),
    ...labelled('audit log', brokenLogs),
    ...labelled('response', responses.wrong),
    ...(rows < MIN_ROWS_FOR_P99 || p99.duringMoves < MAX_P99_RATIO * p99.withoutMove
      ? []
      : [`p99: ${p99.duringMoves.toFixed(0)} ms during moves, ${p99.withoutMove.toFixed(0)} ms without`]),
    ...(growth < MAX_MEMORY_GROWTH ? [] : [`memory: grows by ${(growth / MEGABYTE).toFixed(0)} MB`]),
  ];
}
