import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { PoolStats } from '../../database/connection/connection-pool.ts';
import type { Database } from '../../database/database.ts';
import type { SealWaiters } from '../../database/seal-waiters.ts';
import { Session } from '../../database/session.ts';
import type { JobGauge } from '../../procedures/jobs/job.ts';
import { JOBS } from '../../procedures/jobs/registry.ts';
import { processCounters } from '../http/process-counters.ts';
import type { RequestSummary } from './request-observer.ts';

/** Histogram buckets, from a response without a query to the longest timeout of the service. */
const DURATION_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Timeout of a query for a metric. */
const QUERY_TIMEOUT_MS = 1500;
const TOO_MANY_REQUESTS = 429;
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Metrics of one process in a form that can be sent to another process. */
export type MetricValues = MetricObjectWithValues<MetricValue<string>>[];

/** Metrics of this process. */
export interface Metrics {
  observeRequest: (summary: RequestSummary) => void;
  collect(): Promise<MetricValues>;
}

/** Starts collecting metrics. Gauges that need a query run it only when the metrics are collected. */
export function startMetrics(database: Database): Metrics {
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register });

  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the headers of a request to the end of its response',
    labelNames: ['route', 'method', 'status'],
    buckets: DURATION_BUCKETS_SECONDS,
    registers,
  });
  const limited = new Counter({
    name: 'rate_limited_requests_total',
    help: 'Requests rejected with 429, by API key (also at the limit of its company) or by address',
    labelNames: ['by'],
    registers,
  });
  for (const by of ['key', 'address']) limited.inc({ by }, 0);
  const { pool, replicas } = database;
  for (const metric of [
    ...requestMetrics(),
    ...jobMetrics(database),
    ...feedMetrics(database.sealWaiters),
    ...(pool === undefined ? [] : poolGauges(pool)),
    ...(replicas.length === 0 ? [] : [replicaGauge(replicas)]),
  ])
    register.registerMetric(metric);

  return {
    observeRequest({ route, method, status, duration, key, aborted }) {
      const labels = {
        route: route ?? 'none',
        method: METHODS.has(method) ? method : 'other',
        status: aborted === true ? 'aborted' : `${Math.floor(status / 100)}xx`,
      };
      durations.observe(labels, duration / 1000);
      if (status === TOO_MANY_REQUESTS) limited.inc({ by: key === null ? 'address' : 'key' });
    },
    collect: () => register.getMetricsAsJSON(),
  };
}

/** Values of a metric with their labels. */
type Samples = readonly (readonly [labels: Record<string, string>, value: number])[];

/** Gauge whose values are read when metrics are collected. */
export const gauge = (name: string, help: string, read: () => Samples, labelNames: string[] = []): Gauge =>
  new Gauge({
    name,
    help,
    labelNames,
    registers: [],
    collect() {
      for (const [labels, value] of read()) this.set(labels, value);
    },
  });

/** Counter whose values are read when metrics are collected. */
const counter = (name: string, help: string, read: () => Samples, labelNames: string[] = []): Counter =>
  new Counter({
    name,
    help,
    labelNames,
    registers: [],
    collect() {
      this.reset();
      for (const [labels, value] of read()) this.inc(labels, value);
    },
  });

/** Counter of this process with one label, `result`. */
const resultCounter = (name: string, help: string, counts: Readonly<Record<string, number>>): Counter =>
  counter(name, help, () => Object.entries(counts).map(([result, count]) => [{ result }, count]), ['result']);

/** Requests that were rejected, failures and sign-ins. */
const requestMetrics = (): Counter[] => [
  counter('shed_requests_total', 'Requests rejected because the server was overloaded', () => [
    [{}, processCounters.shedRequests],
  ]),
  counter(
    'failures_total',
    'Warnings and errors by the message of their log line, suppressed lines included',
    () => [...processCounters.failures].map(([message, count]) => [{ message }, count]),
    ['message'],
  ),
  resultCounter('sign_ins_total', 'Attempts of people to sign in, by result', processCounters.signIns),
];

/** Metrics of the jobs and of their runs. */
const jobMetrics = (database: Database): (Gauge | Counter)[] => [
  ...JOBS.flatMap(({ gauges = [] }) => gauges.map((jobGauge) => databaseGauge(database, jobGauge))),
  ...JOBS.flatMap(({ counters = [] }) => counters.map(({ name, help, counts }) => resultCounter(name, help, counts))),
  counter(
    'background_job_runs_total',
    'Runs of background jobs in this process, by job and result',
    () =>
      [...processCounters.jobRuns].flatMap(([job, runs]) =>
        Object.entries(runs).map(([result, count]) => [{ job, result }, count] as const),
      ),
    ['job', 'result'],
  ),
];

/** Gauge that every process reads from the database when metrics are collected. */
function databaseGauge(database: Database, { name, help, statement, columns, label }: JobGauge): Gauge {
  return new Gauge({
    name,
    help,
    labelNames: label === undefined ? [] : [label],
    aggregator: 'max',
    registers: [],
    async collect() {
      const session = new Session(database, null, 'metrics', { timeoutMs: QUERY_TIMEOUT_MS });
      const row = await session.one(statement, {}).catch(() => undefined);
      for (const column of columns) this.set(label === undefined ? {} : { [label]: column }, row?.[column] ?? NaN);
    },
  });
}

/** Requests that wait in the change feed, and those that the limit on waiting requests ended at once. */
const feedMetrics = (waiters: SealWaiters): (Gauge | Counter)[] => [
  gauge('change_feed_waiting_requests', 'Requests that wait for an event in the change feed', () => [
    [{}, waiters.count],
  ]),
  counter(
    'change_feed_rejected_waits_total',
    'Requests to the change feed that did not wait because too many others did',
    () => [[{}, waiters.rejectedCount]],
  ),
];

/** Gauges of the connection pool. */
const poolGauges = (pool: PoolStats): Gauge[] => [
  gauge(
    'database_connections',
    'Connections to the database: total and idle',
    () => [
      [{ state: 'total' }, pool.total],
      [{ state: 'idle' }, pool.idle],
    ],
    ['state'],
  ),
  gauge('database_waiting', 'Queries waiting for a connection to the database', () => [[{}, pool.waiting]]),
];

function replicaGauge(replicas: Database['replicas']): Gauge {
  const help = 'Replicas that this process reads, and replicas left out because they do not respond or lag behind';
  const read = () => {
    const available = replicas.filter(({ isAvailable }) => isAvailable).length;
    return [
      [{ state: 'read' }, available],
      [{ state: 'left out' }, replicas.length - available],
    ] as const;
  };
  return gauge('database_replicas', help, read, ['state']);
}
