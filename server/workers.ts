import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { BadSetting } from './config.ts';
import type { Numbers } from './metrics.ts';

const MOST = 256;

/**
 * How many workers the command line asks for; undefined: none, one process does everything.
 * @throws BadSetting
 */
export function workersOf(args: string[]): number | undefined {
  const { workers } = read(args);
  if (workers === undefined) return undefined;
  if (workers === 'auto') return availableParallelism();
  if (!/^[1-9]\d{0,2}$/.test(workers) || Number(workers) > MOST) {
    throw new BadSetting(`--workers: expected auto or a number from 1 to ${MOST}`);
  }
  return Number(workers);
}

function read(args: string[]): { workers?: string | undefined } {
  try {
    return parseArgs({ args, options: { workers: { type: 'string' } } }).values;
  } catch (cause) {
    const [line = ''] = cause instanceof Error ? cause.message.split('\n') : [];
    throw new BadSetting(`--workers auto or --workers <number> is all that is understood here: ${line}`, { cause });
  }
}

/** Messages of a worker to its supervisor: where it listens, and its metrics when the supervisor asks for them. */
export const FromWorker = z.union([
  z.object({ listens: z.string() }),
  z.object({ numbers: z.custom<Numbers>((given) => Array.isArray(given)) }),
]);

/** The message with which a supervisor asks a worker for its metrics. */
export const ASK_NUMBERS = 'numbers';

/** Tells the supervisor of this process, which is there as long as its channel is. */
export function tellSupervisor(said: z.infer<typeof FromWorker>): void {
  if (process.connected) process.send?.(said);
}

/** Answers the supervisor whenever it asks. */
export function answerSupervisor(numbers: () => Promise<Numbers>): void {
  process.on('message', (message) => {
    if (message === ASK_NUMBERS) void numbers().then((told) => tellSupervisor({ numbers: told }));
  });
}
