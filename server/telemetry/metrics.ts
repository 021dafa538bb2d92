import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { Database } from '../../database/database.ts';
import type { RequestObserver } from './request-observer.ts';
import { processCounters } from '../http/process-counters.ts';
import { backgroundMetrics, resultCounter } from './background-metrics.ts';

/** Histogram buckets, from a response without a query to the longest timeout of the service. */
const DURATION_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const TOO_MANY_REQUESTS = 429;
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Metrics of one process in a form that can be sent to another process. */
export type MetricValues = MetricObjectWithValues<MetricValue<string>>[];

/** Metrics of this process. */
export interface Metrics {
  observeRequest: RequestObserver;
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
    help: 'Requests rejected with 429, by API key or by address',
    labelNames: ['by'],
    registers,
  });
  for (const by of ['key', 'address']) limited.inc({ by }, 0);
  for (const metric of [
    shedRequestsCounter(),
    failuresCounter(),
    resultCounter('sign_ins_total', 'Attempts of people to sign in, by result', processCounters.signIns),
    ...backgroundMetrics(database),
    ...connectionGauges(database),
    ...replicaGauges(database),
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

function shedRequestsCounter(): Counter {
  return new Counter({
    name: 'shed_requests_total',
    help: 'Requests rejected because the server was overloaded',
    registers: [],
    collect() {
      this.reset();
      this.inc(processCounters.shedRequests);
    },
  });
}

function failuresCounter(): Counter {
  return new Counter({
    name: 'failures_total',
    help: 'Warnings and errors by the message of their log line, suppressed lines included',
    labelNames: ['message'],
    registers: [],
    collect() {
      this.reset();
      for (const [message, count] of processCounters.failures) this.inc({ message }, count);
    },
  });
}

/** Gauges of the connection pool; none with the embedded database. */
function connectionGauges({ pool }: Database): Gauge[] {
  if (pool === undefined) return [];
  return [
    new Gauge({
      name: 'database_connections',
      help: 'Connections to the database: total and idle',
      labelNames: ['state'],
      registers: [],
      collect() {
        this.set({ state: 'total' }, pool.total);
        this.set({ state: 'idle' }, pool.idle);
      },
    }),
    new Gauge({
      name: 'database_waiting',
      help: 'Queries waiting for a connection to the database',
      registers: [],
      collect() {
        this.set(pool.waiting);
      },
    }),
  ];
}

/** Gauges of the replicas; none without replicas. */
function replicaGauges({ replicas }: Database): Gauge[] {
  if (replicas.length === 0) return [];
  return [
    new Gauge({
      name: 'database_replicas',
      help: 'Replicas that this process reads, and replicas left out because they do not respond or lag behind',
      labelNames: ['state'],
      registers: [],
      collect() {
        const read = replicas.filter(({ isAvailable }) => isAvailable).length;
        this.set({ state: 'read' }, read);
        this.set({ state: 'left out' }, replicas.length - read);
      },
    }),
  ];
}
