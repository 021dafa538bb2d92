import type { Worker } from 'node:cluster';
import { once } from 'node:events';
import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client';
import type { Numbers } from './metrics.ts';
import { ASK_NUMBERS } from './workers.ts';

/** Milliseconds that a worker has to send its metrics. After that its last ones count. */
const TIMEOUT = 2000;
/** Types of metrics that only grow. */
const GROWING = new Set(['counter', 'histogram']);

/**
 * Metrics of all workers. The counters of a worker that ended still count: Prometheus takes a sum that falls for a restart, and
 * then counts all requests of the other workers again. prom-client's `clusterMetrics` does not keep them, and fails if one worker
 * does not respond.
 */
export class WorkersNumbers {
  readonly #own = new Registry();
  readonly #replaced: Counter;
  readonly #workers: () => Worker[];
  /** The last metrics of each worker. */
  readonly #told = new Map<Worker, Numbers>();
  /** Counters of workers that ended. */
  #gone: Promise<Numbers> = Promise.resolve([]);

  constructor(workers: () => Worker[]) {
    this.#workers = workers;
    const registers = [this.#own];
    this.#replaced = new Counter({
      name: 'workers_replaced_total',
      help: 'Workers that ended by themselves',
      registers,
    });
    const there = new Gauge({
      name: 'workers',
      help: 'Workers that there are',
      registers: [],
      collect() {
        this.set(workers().length);
      },
    });
    this.#own.registerMetric(there);
  }

  /** Asks all workers for their metrics. */
  async ask(): Promise<Numbers[]> {
    const own = await this.#own.getMetricsAsJSON();
    await Promise.all(this.#workers().map(askOne));
    const told = [...this.#told.values()]; // read together with #gone: the metrics of a worker are in one of them
    return [own, await this.#gone, ...told];
  }

  answered(worker: Worker, numbers: Numbers): void {
    if (this.#workers().includes(worker)) this.#told.set(worker, numbers);
  }

  /** Keeps the counters of a worker that ended. */
  left(worker: Worker): void {
    this.#replaced.inc();
    const growing = this.#told.get(worker)?.filter(({ type }) => GROWING.has(String(type))) ?? [];
    this.#told.delete(worker);
    this.#gone = this.#gone.then((gone) => AggregatorRegistry.aggregate([gone, growing]).getMetricsAsJSON());
  }
}

/** Waits for the response of a worker: `answered` has it when this returns. */
async function askOne(worker: Worker): Promise<void> {
  worker.send(ASK_NUMBERS, () => {}); // a channel that breaks belongs to a worker that ends
  await once(worker, 'message', { signal: AbortSignal.timeout(TIMEOUT) }).catch(() => {});
}
