import { Counter, Gauge } from 'prom-client';
import type { Database } from '../../database/database.ts';
import { sealWaiters } from '../../database/seal-waiters.ts';
import { Session } from '../../database/session.ts';
import type { JobGauge } from '../../procedures/jobs/job.ts';
import { JOBS } from '../../procedures/jobs/registry.ts';
import { processCounters } from '../http/process-counters.ts';

/** Timeout of a query for a metric. */
const QUERY_TIMEOUT_MS = 1500;

/** Metrics of the work in the background: those of the jobs, their runs, and the change feed. */
export const backgroundMetrics = (database: Database): (Gauge | Counter)[] => [
  ...JOBS.flatMap(({ gauges = [] }) => gauges.map((gauge) => jobGauge(database, gauge))),
  ...JOBS.flatMap(({ counters = [] }) => counters.map(({ name, help, counts }) => resultCounter(name, help, counts))),
  jobRunsCounter(),
  ...feedMetrics(database),
];

/** Counter of this process with one label, `result`. */
export function resultCounter(name: string, help: string, counts: Readonly<Record<string, number>>): Counter {
  return new Counter({
    name,
    help,
    labelNames: ['result'],
    registers: [],
    collect() {
      this.reset();
      for (const [result, count] of Object.entries(counts)) this.inc({ result }, count);
    },
  });
}

/** Gauge that every process reads from the database when metrics are collected. */
function jobGauge(database: Database, { name, help, statement, columns, label }: JobGauge): Gauge {
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

function jobRunsCounter(): Counter {
  return new Counter({
    name: 'background_job_runs_total',
    help: 'Runs of background jobs in this process, by job and result',
    labelNames: ['job', 'result'],
    registers: [],
    collect() {
      this.reset();
      for (const [job, runs] of processCounters.jobRuns)
        for (const [result, count] of Object.entries(runs)) this.inc({ job, result }, count);
    },
  });
}

/** Requests that wait in the change feed, and those that the limit on waiting requests ended at once. */
function feedMetrics(database: Database): (Gauge | Counter)[] {
  return [
    new Gauge({
      name: 'change_feed_waiting_requests',
      help: 'Requests that wait for an event in the change feed',
      registers: [],
      collect() {
        this.set(sealWaiters(database).count);
      },
    }),
    new Counter({
      name: 'change_feed_rejected_waits_total',
      help: 'Requests to the change feed that did not wait because too many others did',
      registers: [],
      collect() {
        this.reset();
        this.inc(sealWaiters(database).rejectedCount);
      },
    }),
  ];
}
