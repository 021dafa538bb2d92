import cluster from 'node:cluster';
import type { Worker } from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ConfigError } from '../config/settings.ts';
import type { Settings } from '../config/settings.ts';
import type { MetricsServer } from '../telemetry/metrics-server.ts';
import { migrateAndClose } from './database.ts';
import type { StartOptions } from './require-servers.ts';
import type { Service } from './service.ts';
import type { WorkerMetrics } from './worker-metrics.ts';
import { WorkerMessage } from './worker-messages.ts';

/** Minimum uptime in milliseconds. A worker that ends earlier is short-lived, and its replacement may be delayed. */
const MIN_UPTIME_MS = 10_000;
/** Bounds, in milliseconds, of the restart delay. It doubles with each consecutive short-lived worker after the first. */
const MIN_RESTART_DELAY_MS = 100;
const MAX_RESTART_DELAY_MS = 10_000;
/** Milliseconds after SIGTERM for workers to exit. The supervisor kills those that remain. */
const GRACE = 9000;

/** A worker did not start. The worker itself has already written the reason to stderr. */
export class WorkerStartError extends Error {}

/**
 * Runs the service in several processes that share one port. The supervisor applies migrations once and replaces workers
 * that end.
 * @param settings settings with the operator token, which workers receive
 * @throws ConfigError with the embedded database, which supports one process only
 * @throws WorkerStartError if one of the first workers does not start
 */
export async function supervise(settings: Settings, count: number, { log, signal }: StartOptions): Promise<Service> {
  if (settings.databaseUrl === undefined) {
    throw new ConfigError('--workers: the embedded database supports one process only; set DATABASE_URL');
  }
  await migrateAndClose(settings, { log, signal });
  const supervisor = new Supervisor({ ...settings, port: await reservePort(settings) }, log);
  const metrics = await openMetrics(settings, supervisor);
  const stop = async () => {
    await Promise.all([supervisor.stop(), metrics?.stop()]);
  };
  try {
    // Starts one worker first, so that an error that stops all of them is reported once.
    const url = await supervisor.start();
    if (settings.redisUrl === undefined && count > 1)
      log.warn({ setting: 'REDIS_URL', workers: count }, 'rate limits: each worker counts separately without Redis');
    await Promise.all(Array.from({ length: count - 1 }, () => supervisor.start()));
    supervisor.enableRestarts();
    return { url, appUrl: settings.appUrl ?? url, metricsUrl: metrics?.url, demo: undefined, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Returns the port for all workers: the configured one, or a free one if it is 0. Workers share the port with SO_REUSEPORT,
 * so they would not notice another program on it.
 * @throws ConfigError if another program uses the port
 */
async function reservePort({ host, port }: Settings): Promise<number> {
  const holder = createServer().listen({ host, port });
  await once(holder, 'listening').catch((cause: Error) => {
    throw new ConfigError(`HOST, PORT: ${cause.message}`, { cause });
  });
  const address = holder.address();
  holder.close();
  await once(holder, 'close');
  return typeof address === 'object' && address !== null ? address.port : port;
}

async function openMetrics(
  { metricsPort, metricsHost }: Settings,
  supervisor: Supervisor,
): Promise<MetricsServer | undefined> {
  if (metricsPort === undefined) return undefined;
  const [{ WorkerMetrics: WorkerMetricsClass }, { startMetricsServer }] = await Promise.all([
    import('./worker-metrics.ts'),
    import('../telemetry/metrics-server.ts'),
  ]);
  const metrics = new WorkerMetricsClass(liveWorkers);
  supervisor.metrics = metrics;
  return startMetricsServer({ port: metricsPort, host: metricsHost }, () => metrics.collect());
}

const liveWorkers = (): Worker[] =>
  Object.values(cluster.workers ?? {}).flatMap((worker) => (worker === undefined || worker.isDead() ? [] : [worker]));

class Supervisor {
  metrics: WorkerMetrics | undefined;
  readonly #log: Logger;
  readonly #environment: Record<string, string | undefined>;
  /** Called with the URL of a worker when it listens. */
  readonly #onListening = new Map<Worker, (url: string) => void>();
  readonly #startedAt = new WeakMap<Worker, number>();
  readonly #stopped = new AbortController();
  #restartsEnabled = false;
  /** Number of consecutive short-lived workers. */
  #shortLivedCount = 0;

  constructor({ operatorToken, port }: Settings, log: Logger) {
    this.#log = log;
    this.#environment = { OPERATOR_TOKEN: operatorToken, PORT: String(port), RUN_MIGRATIONS: 'false' };
    cluster.setupPrimary({ serialization: 'advanced' });
    cluster.on('message', (worker, message: unknown) => this.#handleMessage(worker, message));
    cluster.on('exit', (worker, code, signal: string | null) => void this.#restart(worker, signal ?? code));
  }

  /**
   * Starts a worker and waits until it listens.
   * @returns the URL of the worker
   */
  async start(): Promise<string> {
    const worker = this.#fork();
    const { promise: listening, resolve } = Promise.withResolvers<string>();
    this.#onListening.set(worker, resolve);
    const url = await Promise.race([listening, once(worker, 'exit').then(() => undefined)]);
    if (url === undefined) throw new WorkerStartError('a worker did not start');
    return url;
  }

  enableRestarts(): void {
    this.#restartsEnabled = true;
  }

  /** Stops all workers with SIGTERM, and kills those that remain after the grace period. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    const all = liveWorkers();
    const ended = Promise.all(
      all.map(async (worker) => {
        const [code, signal]: unknown[] = await once(worker, 'exit');
        // A worker that has just started has no handler for SIGTERM yet, and ends by the signal.
        if (code !== 0 && signal !== 'SIGTERM') process.exitCode = 1;
      }),
    );
    for (const { process: child } of all) child.kill('SIGTERM');
    await Promise.race([ended, wait(GRACE, undefined, { ref: false })]);
    for (const { process: child } of liveWorkers()) child.kill('SIGKILL');
    await ended;
  }

  #fork(): Worker {
    const worker = cluster.fork(this.#environment);
    this.#startedAt.set(worker, performance.now());
    worker.on('error', () => {}); // a broken channel means that the worker is ending; `exit` handles that
    return worker;
  }

  #handleMessage(worker: Worker, message: unknown): void {
    const { data } = WorkerMessage.safeParse(message);
    if (data === undefined) return;
    if ('listeningUrl' in data) this.#onListening.get(worker)?.(data.listeningUrl);
    else this.metrics?.handleResponse(worker, data.values);
  }

  async #restart(worker: Worker, reason: string | number): Promise<void> {
    this.#onListening.delete(worker);
    if (!this.#restartsEnabled || this.#stopped.signal.aborted) return;
    this.metrics?.removeWorker(worker);
    const uptimeMs = performance.now() - (this.#startedAt.get(worker) ?? 0);
    this.#shortLivedCount = uptimeMs < MIN_UPTIME_MS ? this.#shortLivedCount + 1 : 0;
    const delayMs =
      this.#shortLivedCount < 2
        ? 0
        : Math.min(MIN_RESTART_DELAY_MS * 2 ** (this.#shortLivedCount - 2), MAX_RESTART_DELAY_MS);
    this.#log.warn({ worker: worker.process.pid, reason, delayMs }, 'worker: ended, starting a replacement');
    await wait(delayMs, undefined, { signal: this.#stopped.signal }).then(
      () => this.#fork(),
      () => {},
    );
  }
}
