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

/** What a worker tells its supervisor: where it listens, and what it has counted when it was asked. */
export const FromWorker = z.union([
  z.object({ listens: z.string() }),
  z.object({ asked: z.number(), numbers: z.custom<Numbers>((given) => Array.isArray(given)) }),
]);

/** What a supervisor asks of a worker: what it has counted. */
const FromSupervisor = z.object({ asks: z.number() });
export type ToWorker = z.infer<typeof FromSupervisor>;

/** Tells the supervisor of this process, which is there as long as its channel is. */
export function tellSupervisor(said: z.infer<typeof FromWorker>): void {
  if (process.connected) process.send?.(said);
}

/** Answers the supervisor whenever it asks. */
export function answerSupervisor(numbers: () => Promise<Numbers>): void {
  process.on('message', (message) => {
    const asked = FromSupervisor.safeParse(message);
    if (asked.success) void numbers().then((told) => tellSupervisor({ asked: asked.data.asks, numbers: told }));
  });
}
