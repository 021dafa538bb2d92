import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { ConfigError } from '../config/settings.ts';
import type { MetricValues } from '../telemetry/metrics.ts';

const MAX_WORKERS = 256;

/**
 * Parses the number of workers from the command line; undefined means one process without a supervisor.
 * @throws ConfigError if an option is unknown or its value is invalid
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
    throw new ConfigError(`--workers: expected auto or a number, and no other option: ${line}`, { cause });
  }
}

/** Messages from a worker to its supervisor: its URL when it listens, and its metrics on request. */
export const WorkerMessage = z.union([
  z.object({ listeningUrl: z.string() }),
  z.object({ values: z.custom<MetricValues>((value) => Array.isArray(value)) }),
]);

/** Message from the supervisor that requests the metrics of a worker. */
export const COLLECT_METRICS = 'collect metrics';

/** Sends a message to the supervisor. Does nothing if the channel is closed. */
export function sendToSupervisor(message: z.infer<typeof WorkerMessage>): void {
  if (process.connected) process.send?.(message);
}

/** Sends the metrics of this worker each time the supervisor requests them. */
export function serveWorkerMetrics(collect: () => Promise<MetricValues>): void {
  process.on('message', (message) => {
    if (message === COLLECT_METRICS) void collect().then((values) => sendToSupervisor({ values }));
  });
}
