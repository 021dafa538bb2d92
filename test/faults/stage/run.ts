import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Result } from '../report.ts';
import type { Fault } from './fault.ts';
import { playRound, warmUp } from './round.ts';
import type { Calm } from './round.ts';
import type { Setting, Stage } from './stage.ts';

interface Bounds {
  seed: number;
  folder: string;
  /** Milliseconds after which no further round begins. */
  bound: number;
  /** Whether to go through all faults again and again for so long. */
  again: boolean;
  say: (line: string) => void;
}

interface Open {
  on: Setting;
  stage: Stage;
  folder: string;
  calm: Calm;
}

/** Plays the faults in order, each on a stage that it shares with its neighbours, and fills in what came of them. */
export async function runFaults(
  results: readonly Result[],
  { seed, folder, bound, again, say }: Bounds,
): Promise<void> {
  const end = performance.now() + bound;
  const isOver = () => performance.now() > end;
  // On a machine that is busy each fault strikes once rather than some of them never.
  const roundsOf = ({ rounds: wanted }: Fault) => (performance.now() > end - bound / 2 ? 1 : wanted);
  let open: Open | undefined;
  let rounds = 0;

  async function stageOf(on: Setting): Promise<Open> {
    if (open?.on === on) return open;
    await open?.stage.close();
    open = undefined;
    const own = join(folder, `stage-${(rounds += 1)}`);
    mkdirSync(own, { mode: 0o755 });
    const stage = await on.open(own);
    try {
      open = { on, stage, folder: own, calm: await warmUp(stage, { seed, folder: own }) };
    } catch (error) {
      await stage.close();
      throw error;
    }
    return open;
  }

  // A stage is closed whoever ends this, so that neither processes nor mounts stay behind.
  const interrupted = () => void open?.stage.close().finally(() => process.exit(130));
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    do {
      for (const { fault, outcomes } of results)
        for (let round = 0; round < roundsOf(fault) && !isOver(); round++) {
          const { stage, folder: own, calm } = await stageOf(fault.on);
          const name = `r${String((rounds += 1)).padStart(4, '0')}`;
          const start = performance.now();
          const outcome = await playRound(stage, fault, { name, seed: seed + rounds, folder: own, calm });
          outcomes.push(outcome);
          const took = ((performance.now() - start) / 1000).toFixed(1);
          say(`${name}  ${fault.on.database}: ${fault.name}: ${outcome.findings.length} findings, ${took} s`);
          for (const { kind, text } of outcome.findings.slice(0, 10)) say(`       ${kind}: ${text}`);
        }
      // oxlint-disable-next-line eslint/no-unmodified-loop-condition -- whether there is a second round at all
    } while (!isOver() && again);
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    await open?.stage.close();
  }
}
