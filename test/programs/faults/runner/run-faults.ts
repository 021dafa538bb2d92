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
  /** No round starts after this time. */
  maxDurationMs: number;
  /** Repeats all faults until the time is over. */
  repeat: boolean;
  print: (line: string) => void;
}

interface OpenEnvironment {
  factory: EnvironmentFactory;
  environment: TestEnvironment;
  folder: string;
  baseline: Baseline;
}

/** Injects the faults in order and adds their results. Neighbouring faults with the same factory share an environment. */
export async function runFaults(
  results: readonly FaultResult[],
  { seed, folder, maxDurationMs, repeat, print }: RunOptions,
): Promise<void> {
  const end = performance.now() + maxDurationMs;
  const isOver = () => performance.now() > end;
  // In the second half of the time each fault gets one round, so that a busy machine still runs all faults.
  const roundCount = ({ rounds }: Fault) => (performance.now() > end - maxDurationMs / 2 ? 1 : rounds);
  let open: OpenEnvironment | undefined;
  let counter = 0;

  async function environmentFor(factory: EnvironmentFactory): Promise<OpenEnvironment> {
    if (open?.factory === factory) return open;
    await open?.environment.close();
    open = undefined;
    const subfolder = join(folder, `environment-${(counter += 1)}`);
    mkdirSync(subfolder, { mode: 0o755 });
    const environment = await factory.open(subfolder);
    try {
      open = {
        factory,
        environment,
        folder: subfolder,
        baseline: await warmUp(environment, { seed, folder: subfolder }),
      };
    } catch (error) {
      await environment.close();
      throw error;
    }
    return open;
  }

  // Signals close the environment too: otherwise its processes and mounts would remain.
  const handleSignal = () => void open?.environment.close().finally(() => process.exit(130));
  process.once('SIGINT', handleSignal).once('SIGTERM', handleSignal);
  try {
    do {
      for (const { fault, roundResults } of results)
        for (let round = 0; round < roundCount(fault) && !isOver(); round++) {
          const { environment, folder: subfolder, baseline } = await environmentFor(fault.environment);
          const name = `r${String((counter += 1)).padStart(4, '0')}`;
          const start = performance.now();
          const result = await runRound(environment, fault, {
            name,
            seed: seed + counter,
            folder: subfolder,
            baseline,
          });
          roundResults.push(result);
          const durationSeconds = ((performance.now() - start) / 1000).toFixed(1);
          print(
            `${name}  ${fault.environment.database}: ${fault.name}: ${result.findings.length} findings, ${durationSeconds} s`,
          );
          for (const { kind, text } of result.findings.slice(0, 10)) print(`       ${kind}: ${text}`);
        }
      // oxlint-disable-next-line eslint/no-unmodified-loop-condition -- a constant of the run
    } while (!isOver() && repeat);
  } finally {
    process.off('SIGINT', handleSignal).off('SIGTERM', handleSignal);
    await open?.environment.close();
  }
}
