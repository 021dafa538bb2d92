import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FaultResult } from './report.ts';
import type { Fault } from './fault.ts';
import { runRound, warmUp } from './round.ts';
import type { Baseline } from './round.ts';
import type { EnvironmentFactory, TestEnvironment } from '../environment/environment.ts';

interface RunOptions {
  seed: number;
  folder: string;
  /** Milliseconds after which no further round begins. */
  maxDurationMs: number;
  /** Whether to go through all faults again and again for so long. */
  repeat: boolean;
  print: (line: string) => void;
}

interface OpenEnvironment {
  factory: EnvironmentFactory;
  environment: TestEnvironment;
  folder: string;
  baseline: Baseline;
}

/** Plays the faults in order, each on a stage that it shares with its neighbours, and fills in what came of them. */
export async function runFaults(
  results: readonly FaultResult[],
  { seed, folder, maxDurationMs: bound, repeat: again, print: say }: RunOptions,
): Promise<void> {
  const end = performance.now() + bound;
  const isOver = () => performance.now() > end;
  // On a machine that is busy each fault strikes once rather than some of them never.
  const roundCount = ({ rounds: wanted }: Fault) => (performance.now() > end - bound / 2 ? 1 : wanted);
  let open: OpenEnvironment | undefined;
  let rounds = 0;

  async function environmentFor(on: EnvironmentFactory): Promise<OpenEnvironment> {
    if (open?.factory === on) return open;
    await open?.environment.close();
    open = undefined;
    const own = join(folder, `stage-${(rounds += 1)}`);
    mkdirSync(own, { mode: 0o755 });
    const stage = await on.open(own);
    try {
      open = { factory: on, environment: stage, folder: own, baseline: await warmUp(stage, { seed, folder: own }) };
    } catch (error) {
      await stage.close();
      throw error;
    }
    return open;
  }

  // A stage is closed whoever ends this, so that neither processes nor mounts stay behind.
  const interrupted = () => void open?.environment.close().finally(() => process.exit(130));
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    do {
      for (const { fault, roundResults: outcomes } of results)
        for (let round = 0; round < roundCount(fault) && !isOver(); round++) {
          const { environment: stage, folder: own, baseline: calm } = await environmentFor(fault.environment);
          const name = `r${String((rounds += 1)).padStart(4, '0')}`;
          const start = performance.now();
          const outcome = await runRound(stage, fault, { name, seed: seed + rounds, folder: own, calm });
          outcomes.push(outcome);
          const took = ((performance.now() - start) / 1000).toFixed(1);
          say(`${name}  ${fault.environment.database}: ${fault.name}: ${outcome.findings.length} findings, ${took} s`);
          for (const { kind, text } of outcome.findings.slice(0, 10)) say(`       ${kind}: ${text}`);
        }
      // oxlint-disable-next-line eslint/no-unmodified-loop-condition -- whether there is a second round at all
    } while (!isOver() && again);
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    await open?.environment.close();
  }
}
