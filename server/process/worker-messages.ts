import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { ConfigError } from '../config/settings.ts';
import type { MetricValues } from '../telemetry/metrics.ts';

const MAX_WORKERS = 256;

/**
 * How many workers the command line asks for; undefined: none, one process does everything.
 * @throws BadSetting
 */
export function parseWorkerCount(args: string[]): number | undefined {
  const { workers } = parseOptions(args);
  if (workers === undefined) return undefined;
  if (workers === 'auto') return availableParallelism();
  if (!/^[1-9]\d{0,2}$/.test(workers) || Number(workers) > MAX_WORKERS) {
    throw new ConfigError(`--workers: expected auto or a number from 1 to ${MAX_WORKERS}`);
  }
  return Number(workers);
}

function parseOptions(args: string[]): { workers?: string | undefined } {
  try {
    return parseArgs({ args, options: { workers: { type: 'string' } } }).values;
  } catch (cause) {
    const [line = ''] = cause instanceof Error ? cause.message.split('\n') : [];
    throw new ConfigError(`--workers auto or --workers <number> is all that is understood here: ${line}`, { cause });
  }
}

/** Messages of a worker to its supervisor: where it listens, and its metrics when the supervisor asks for them. */
export const WorkerMessage = z.union([
  z.object({ listeningUrl: z.string() }),
  z.object({ values: z.custom<MetricValues>((value) => Array.isArray(value)) }),
]);

/** The message with which a supervisor asks a worker for its metrics. */
export const COLLECT_METRICS = 'numbers';

/** Tells the supervisor of this process, which is there as long as its channel is. */
export function sendToSupervisor(message: z.infer<typeof WorkerMessage>): void {
  if (process.connected) process.send?.(message);
}

/** Answers the supervisor whenever it asks. */
export function serveWorkerMetrics(collect: () => Promise<MetricValues>): void {
  process.on('message', (message) => {
    if (message === COLLECT_METRICS) void collect().then((values) => sendToSupervisor({ values }));
  });
}
