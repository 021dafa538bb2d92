import { Counter, Gauge } from 'prom-client';
import type { Database } from '../../database/database.ts';
import { sealWaiters } from '../../database/seal-waiters.ts';
import { Session } from '../../database/session.ts';
import { findSealLag } from '../../entities/audit/seal-statements.ts';
import { countOpenImports } from '../../entities/import/progress.ts';
import { findBacklog } from '../../entities/webhook/sending.ts';
import { processCounters } from '../http/process-counters.ts';

/** Timeout of a query for a metric. */
const QUERY_TIMEOUT_MS = 1500;

/** Metrics of the work in the background: seals, imports, webhooks and the change feed. */
export const backgroundMetrics = (database: Database): (Gauge | Counter)[] => [
  sealLagGauge(database),
  ...importMetrics(database),
  ...webhookMetrics(database),
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

/** Open imports, and the rows that this process applied. */
function importMetrics(database: Database): (Gauge | Counter)[] {
  return [
    new Gauge({
      name: 'imports',
      help: 'Queued and running imports of all companies; NaN if the query fails',
      labelNames: ['state'],
      aggregator: 'max',
      registers: [],
      async collect() {
        const session = new Session(database, null, 'metrics', { timeoutMs: QUERY_TIMEOUT_MS });
        const { queued, running } = await session
          .one(countOpenImports, {})
          .catch(() => ({ queued: NaN, running: NaN }));
        this.set({ state: 'queued' }, queued);
        this.set({ state: 'running' }, running);
      },
    }),
    resultCounter('import_rows_total', 'Import rows that this process applied, by result', processCounters.importRows),
  ];
}

/** Deliveries of webhooks that wait, and the attempts of this process. */
function webhookMetrics(database: Database): (Gauge | Counter)[] {
  return [
    new Gauge({
      name: 'webhook_deliveries_waiting',
      help: 'Deliveries of active webhooks that wait for an attempt; NaN if the query fails',
      aggregator: 'max',
      registers: [],
      async collect() {
        this.set((await webhookBacklog(database)).deliveries);
      },
    }),
    new Gauge({
      name: 'webhook_oldest_delivery_seconds',
      help: 'Age of the oldest of them; 0 without one, NaN if the query fails',
      aggregator: 'max',
      registers: [],
      async collect() {
        this.set((await webhookBacklog(database)).oldestSeconds);
      },
    }),
    resultCounter(
      'webhook_attempts_total',
      'Attempts of this process to deliver an event to a webhook, by result',
      processCounters.webhookAttempts,
    ),
  ];
}

const webhookBacklog = (database: Database) =>
  new Session(database, null, 'metrics', { timeoutMs: QUERY_TIMEOUT_MS })
    .one(findBacklog, {})
    .catch(() => ({ deliveries: NaN, oldestSeconds: NaN }));

function sealLagGauge(database: Database): Gauge {
  return new Gauge({
    name: 'audit_seal_lag_seconds',
    help: 'Age of the oldest audit event that is not sealed; NaN if the query fails',
    aggregator: 'max',
    registers: [],
    async collect() {
      const session = new Session(database, null, 'metrics', { timeoutMs: QUERY_TIMEOUT_MS });
      const { seconds } = await session.one(findSealLag, {}).catch(() => ({ seconds: NaN }));
      this.set(seconds);
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
