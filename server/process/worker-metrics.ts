import type { Worker } from 'node:cluster';
import { once } from 'node:events';
import { AggregatorRegistry, Counter, Registry } from 'prom-client';
import type { MetricValues } from '../telemetry/metrics.ts';
import { gauge } from '../telemetry/metrics.ts';
import { COLLECT_METRICS } from './worker-messages.ts';

/** Milliseconds for a worker to send its metrics. After that its previous metrics are used. */
const TIMEOUT_MS = 2000;
/** Types of metrics whose values never decrease. */
const CUMULATIVE_TYPES = new Set(['counter', 'histogram']);

/**
 * Metrics of all workers. Keeps the counters of workers that ended: Prometheus interprets a decreasing sum as a restart, and
 * would count all requests of the other workers twice. `clusterMetrics` of prom-client does not keep them, and fails if a
 * worker does not respond.
 */
export class WorkerMetrics {
  readonly #registry = new Registry();
  readonly #replacedCounter: Counter;
  readonly #workers: () => Worker[];
  /** Latest metrics of each running worker. */
  readonly #latest = new Map<Worker, MetricValues>();
  /** Sum of the counters of all workers that ended. */
  #ended: Promise<MetricValues> = Promise.resolve([]);

  constructor(workers: () => Worker[]) {
    this.#workers = workers;
    this.#replacedCounter = new Counter({
      name: 'workers_replaced_total',
      help: 'Workers that ended unexpectedly and were replaced',
      registers: [this.#registry],
    });
    this.#registry.registerMetric(gauge('workers', 'Running workers', () => [[{}, workers().length]]));
  }

  /** Collects the metrics of all workers, running or ended, and of the supervisor. */
  async collect(): Promise<MetricValues[]> {
    const supervisorMetrics = await this.#registry.getMetricsAsJSON();
    await Promise.all(this.#workers().map(collectFrom));
    // Read in the same tick as #ended: the metrics of each worker are in exactly one of the two.
    const latest = [...this.#latest.values()];
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

/** Requests the metrics of a worker and waits for its response, which `handleResponse` stores. */
async function collectFrom(worker: Worker): Promise<void> {
  worker.send(COLLECT_METRICS, () => {}); // a broken channel means that the worker is ending
  await once(worker, 'message', { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => {});
}
