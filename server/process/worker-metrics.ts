import type { Worker } from 'node:cluster';
import { once } from 'node:events';
import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client';
import type { MetricValues } from '../telemetry/metrics.ts';
import { COLLECT_METRICS } from './worker-messages.ts';

/** Milliseconds that a worker has to send its metrics. After that its last ones count. */
const TIMEOUT_MS = 2000;
/** Types of metrics that only grow. */
const CUMULATIVE_TYPES = new Set(['counter', 'histogram']);

/**
 * Metrics of all workers. The counters of a worker that ended still count: Prometheus takes a sum that falls for a restart, and
 * then counts all requests of the other workers again. prom-client's `clusterMetrics` does not keep them, and fails if one worker
 * does not respond.
 */
export class WorkerMetrics {
  readonly #registry = new Registry();
  readonly #replacedCounter: Counter;
  readonly #workers: () => Worker[];
  /** The last metrics of each worker. */
  readonly #latest = new Map<Worker, MetricValues>();
  /** Counters of workers that ended. */
  #ended: Promise<MetricValues> = Promise.resolve([]);

  constructor(workers: () => Worker[]) {
    this.#workers = workers;
    const registers = [this.#registry];
    this.#replacedCounter = new Counter({
      name: 'workers_replaced_total',
      help: 'Workers that ended by themselves',
      registers,
    });
    const workersGauge = new Gauge({
      name: 'workers',
      help: 'Workers that there are',
      registers: [],
      collect() {
        this.set(workers().length);
      },
    });
    this.#registry.registerMetric(workersGauge);
  }

  /** Asks all workers for their metrics. */
  async collect(): Promise<MetricValues[]> {
    const supervisorMetrics = await this.#registry.getMetricsAsJSON();
    await Promise.all(this.#workers().map(collectFrom));
    const latest = [...this.#latest.values()]; // read together with #gone: the metrics of a worker are in one of them
    return [supervisorMetrics, await this.#ended, ...latest];
  }

  handleResponse(worker: Worker, values: MetricValues): void {
    if (this.#workers().includes(worker)) this.#latest.set(worker, values);
  }

  /** Keeps the counters of a worker that ended. */
  removeWorker(worker: Worker): void {
    this.#replacedCounter.inc();
    const cumulative = this.#latest.get(worker)?.filter(({ type }) => CUMULATIVE_TYPES.has(String(type))) ?? [];
    this.#latest.delete(worker);
    this.#ended = this.#ended.then((ended) => AggregatorRegistry.aggregate([ended, cumulative]).getMetricsAsJSON());
  }
}

/** Waits for the response of a worker: `answered` has it when this returns. */
async function collectFrom(worker: Worker): Promise<void> {
  worker.send(COLLECT_METRICS, () => {}); // a channel that breaks belongs to a worker that ends
  await once(worker, 'message', { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => {});
}
