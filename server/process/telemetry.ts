import cluster from 'node:cluster';
import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import type { Settings } from '../config/settings.ts';
import type { MetricsServer } from '../telemetry/metrics-server.ts';
import type { RequestObserver } from '../telemetry/request-observer.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { serveWorkerMetrics } from './worker-messages.ts';

/** Metrics of this process. `url` is undefined in a worker, because its supervisor serves the metrics. */
export interface ServiceMetrics extends Pick<MetricsServer, 'stop'> {
  url: string | undefined;
  observeRequest: RequestObserver;
}

/** Starts the metrics if METRICS_PORT is set. Their modules are loaded only then. */
export async function openMetrics(
  { metricsPort, metricsHost }: Settings,
  database: Database,
): Promise<ServiceMetrics | undefined> {
  if (metricsPort === undefined) return undefined;
  const [{ startMetrics }, { startMetricsServer }] = await Promise.all([
    import('../telemetry/metrics.ts'),
    import('../telemetry/metrics-server.ts'),
  ]);
  const metrics = startMetrics(database);
  if (cluster.isWorker) {
    serveWorkerMetrics(() => metrics.collect());
    return { ...metrics, url: undefined, stop: async () => {} };
  }
  const address = { port: metricsPort, host: metricsHost };
  return { ...metrics, ...(await startMetricsServer(address, async () => [await metrics.collect()])) };
}

/** Starts tracing if an OTLP endpoint is set. OpenTelemetry is loaded only then. */
export async function openTracing(
  { otlpEndpoint, traceSampleRatio }: Settings,
  database: Database,
  log: Logger,
  redact: (text: string) => string,
): Promise<Tracing | undefined> {
  if (otlpEndpoint === undefined) return undefined;
  const { startTracing } = await import('../telemetry/tracing.ts');
  const tracing = startTracing(otlpEndpoint, traceSampleRatio, log, redact);
  database.observe(tracing.statementObserver);
  return tracing;
}
