import type { RoundResult } from './round.ts';

/** A fault and the results of its rounds. */
export interface FaultResult {
  name: string;
  rounds: RoundResult[];
}

/** Rows of the table: the name of a figure, its value over all rounds, and the value that it must have. */
const FIGURES: readonly { name: string; value: (rounds: readonly RoundResult[]) => string; expected?: string }[] = [
  { name: 'times', value: (rounds) => String(rounds.length) },
  { name: 'acknowledged writes', value: total(({ acknowledged }) => acknowledged) },
  { name: 'lost', value: total(({ lost }) => lost.length), expected: '0' },
  { name: 'twice', value: total(({ twice }) => twice.length), expected: '0' },
  {
    name: 'change without event, or event without change',
    value: total(({ unmatched }) => unmatched.length),
    expected: '0',
  },
  { name: 'audit logs intact', value: share(({ chainsIntact }) => chainsIntact), expected: 'all' },
  { name: 'checkpoints that hold', value: share(({ checkpointsThatHold }) => checkpointsThatHold), expected: 'all' },
  { name: 'stale reads after a write of the same key', value: total(({ stale }) => stale.length), expected: '0' },
  { name: 'responses 2xx', value: total(({ responses }) => responses.success) },
  { name: '503 with `Retry-After`', value: total(({ responses }) => responses.unavailable) },
  { name: '409 and 412 that the load provokes', value: total(({ responses }) => responses.provoked) },
  { name: 'other responses', value: total(({ responses }) => responses.wrong.length), expected: '0' },
  { name: 'until 99 % succeed again', value: range(({ recoveryMs }) => recoveryMs) },
  { name: 'until both processes read the replicas again', value: range(({ replicasMs }) => replicasMs) },
  {
    name: 'longest request',
    value: (rounds) => `${(Math.max(...rounds.map(({ longestRequestMs }) => longestRequestMs)) / 1000).toFixed(1)} s`,
  },
  { name: 'log lines', value: total(({ logLines }) => sum([...logLines.values()])) },
  {
    name: 'log lines within 10 s of one of their kind',
    value: total(({ tooFrequentLines }) => tooFrequentLines.length),
    expected: '0',
  },
];

function total(count: (round: RoundResult) => number): (rounds: readonly RoundResult[]) => string {
  return (rounds) => String(sum(rounds.map(count)));
}

/** A share of the companies of all rounds. Each company has a checkpoint. */
function share(count: (round: RoundResult) => number): (rounds: readonly RoundResult[]) => string {
  return (rounds) => {
    const all = sum(rounds.map(({ checkpoints }) => checkpoints.length));
    const held = sum(rounds.map(count));
    return held === all ? `all ${all}` : `${held} of ${all}`;
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((result, one) => result + one, 0);
}

function range(time: (round: RoundResult) => number | undefined): (rounds: readonly RoundResult[]) => string {
  return (rounds) => {
    const times = rounds.map((round) => (time(round) ?? Infinity) / 1000);
    const [min, max] = [Math.min(...times), Math.max(...times)].map((seconds) => seconds.toFixed(0));
    if (max === 'Infinity') return 'never';
    return min === max ? `${max} s` : `${min} to ${max} s`;
  };
}

/** A table in Markdown with a column for each fault. */
export function markdownReport(results: readonly FaultResult[]): string {
  const rows = FIGURES.map(({ name, value, expected }) =>
    [expected === undefined ? name : `${name} (must be ${expected})`].concat(
      results.map(({ rounds }) => value(rounds)),
    ),
  );
  return [
    row(['', ...results.map(({ name }) => name)]),
    row(['---', ...results.map(() => '---:')]),
    ...rows.map(row),
  ].join('\n');
}

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

/** Violations of a round, one on each line. */
export const violationsOf = (round: RoundResult): string[] => {
  const { lost, twice, unmatched, stale, responses, tooFrequentLines, checkpoints } = round;
  const broken = (what: string, count: number) =>
    count === checkpoints.length ? [] : [`${what}: ${count} of ${checkpoints.length}`];
  const labelled = (label: string, texts: readonly string[]) => texts.map((text) => `${label}: ${text}`);
  return [
    ...labelled('lost', lost),
    ...labelled('twice', twice),
    ...labelled('unmatched', unmatched),
    ...labelled('stale', stale),
    ...labelled('response', responses.wrong),
    ...labelled('log', tooFrequentLines),
    ...broken('audit logs intact', round.chainsIntact),
    ...broken('checkpoints that hold', round.checkpointsThatHold),
    ...(round.recoveryMs === undefined ? ['recovery: less than 99 % succeed at the end'] : []),
    ...(round.replicasMs === undefined ? ['replicas: a process does not read them at the end'] : []),
  ];
};
